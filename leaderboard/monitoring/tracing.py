"""Traces for OpenTelemetry: requests, runs of tasks, and SQL without its values.

OpenTelemetry reads its other variables (`OTEL_SERVICE_NAME`, `OTEL_EXPORTER_OTLP_HEADERS`) itself.
"""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager

import requests
from django.http import HttpRequest, HttpResponse
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status
from requests.adapters import HTTPAdapter

from leaderboard.monitoring import withheld

# The request itself, or the one that queued the task, as log lines have it.
_REQUEST_ID = "wardboard.request_id"
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
    "messaging.destination.name",
    _REQUEST_ID,
    "exception.type",
}


class CarefulExporter(OTLPSpanExporter):
    """Sends spans with the attributes that are known to be harmless."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return super().export([reduce_span(span) for span in spans])


def start(endpoint: str) -> None:
    """Send the spans of requests, tasks and SQL to `endpoint`, under /v1/traces."""
    named = Resource({SERVICE_NAME: "wardboard"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named)
    session = requests.Session()
    # On a connection that they shared, what two processes send would mix.
    os.register_at_fork(after_in_child=lambda: _leave_connections(session))
    exporter = CarefulExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", session=session)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    # Before Django reads its middleware, to which this one is added.
    DjangoInstrumentor().instrument(response_hook=_note_request_id)
    PsycopgInstrumentor().instrument()


def _leave_connections(session: requests.Session) -> None:
    # They are not closed: a thread of the parent may have held their lock when this process was forked.
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter())


def span_of_task(name: str, lane: str, request_id: str | None) -> AbstractContextManager[Span]:
    """Make a span of what the caller does; its status and the class of an error say how it ended."""
    attributes = {"messaging.destination.name": lane, _REQUEST_ID: request_id or ""}
    tracer = trace.get_tracer(__name__)
    return tracer.start_as_current_span(name, kind=SpanKind.CONSUMER, attributes=attributes)


def _note_request_id(span: Span, request: HttpRequest, response: HttpResponse) -> None:
    span.set_attribute(_REQUEST_ID, response.headers.get("X-Request-ID", ""))


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
