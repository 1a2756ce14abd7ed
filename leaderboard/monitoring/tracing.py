"""Traces of requests for OpenTelemetry, which reads its other variables (`OTEL_SERVICE_NAME`, ...) itself."""

import os
from collections.abc import Sequence

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import Status

from leaderboard.monitoring import withheld

# Everything else (addresses, queries, headers, texts of errors) is left out.
_KEPT = {
    "http.method",
    "http.request.method",
    "http.route",
    "http.status_code",
    "http.response.status_code",
}


class CarefulExporter(OTLPSpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return super().export([_reduce_span(span) for span in spans])


def start(endpoint: str) -> None:
    os.environ.setdefault("OTEL_SERVICE_NAME", "wardboard")
    provider = TracerProvider()
    exporter = CarefulExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    # Before Django reads its middleware, to which this one is added.
    DjangoInstrumentor().instrument()


def _reduce_span(span: ReadableSpan) -> ReadableSpan:
    return ReadableSpan(
        name=withheld.hide_secrets(span.name),
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={name: value for name, value in (span.attributes or {}).items() if name in _KEPT},
        kind=span.kind,
        # Its description is the text of an error.
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )
