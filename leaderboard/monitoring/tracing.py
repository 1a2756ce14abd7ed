"""Traces for OpenTelemetry: routes, statuses and SQL without its values.

OpenTelemetry reads its other variables (`OTEL_SERVICE_NAME`, `OTEL_EXPORTER_OTLP_HEADERS`) itself.
"""

from collections.abc import Sequence

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Status

from leaderboard.monitoring import withheld

# Everything else (addresses, queries, headers, arguments, texts of errors) is left out.
_KEPT = {
    "http.method",
    "http.request.method",
    "http.route",
    "http.status_code",
    "http.response.status_code",
    "db.system",
    "db.system.name",
    "db.name",
    "db.namespace",
    # With placeholders: the values are not part of it.
    "db.statement",
    "db.query.text",
    "messaging.message.id",
    "exception.type",
}


class CarefulExporter(SpanExporter):
    """Passes spans on with the attributes that are known to be harmless."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([reduce_span(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def start(endpoint: str) -> None:
    """Send the spans of requests and SQL to `endpoint`, under /v1/traces."""
    named = Resource({SERVICE_NAME: "wardboard"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named)
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(CarefulExporter(exporter)))
    trace.set_tracer_provider(provider)
    # Before Django reads its middleware, to which this one is added.
    DjangoInstrumentor().instrument()
    PsycopgInstrumentor().instrument()


def reduce_span(span: ReadableSpan) -> ReadableSpan:
    """Return a span without what may be secret."""
    return ReadableSpan(
        name=withheld.hide_secrets(span.name),
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=_reduce(span.attributes),
        events=[
            Event(event.name, attributes=_reduce(event.attributes), timestamp=event.timestamp)
            for event in span.events
        ],
        links=span.links,
        kind=span.kind,
        # Its description is the text of an error.
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _reduce(attributes: object) -> dict[str, str | int]:
    by_name = dict(attributes) if attributes else {}  # type: ignore[call-overload]  # a mapping
    return {name: value for name, value in by_name.items() if name in _KEPT}
