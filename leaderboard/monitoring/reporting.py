"""Send errors to Sentry and traces to OpenTelemetry, each only where it is configured.

Neither library is imported otherwise. They are the extra `observability`. What is not known to be harmless is
left out: of an error remain code, ids and the classes of exceptions.
"""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from leaderboard.monitoring import withheld

_KEPT = ("event_id", "timestamp", "level", "logger", "platform", "release", "environment", "server_name")


def start(*, sentry_dsn: str, otlp_endpoint: str) -> None:
    """Start what is configured. Raises ImproperlyConfigured where its library is not installed.

    sentry_dsn, otlp_endpoint: "" for none. A process that forks may call this before.
    """
    try:
        if sentry_dsn:
            import sentry_sdk  # noqa: PLC0415 - a library that few need

            sentry_sdk.init(
                dsn=sentry_dsn,
                include_local_variables=False,
                max_request_body_size="never",
                # They hold log lines, SQL and addresses of requests.
                max_breadcrumbs=0,
                auto_session_tracking=False,
                before_send=_reduce_event,
            )
        if otlp_endpoint:
            from leaderboard.monitoring import tracing  # noqa: PLC0415 - likewise

            tracing.start(otlp_endpoint)
    except ImportError as error:
        raise ImproperlyConfigured(
            f"SENTRY_DSN and OTEL_EXPORTER_OTLP_ENDPOINT need the extra `observability`: {error}"
        ) from error


def _reduce_event(event: Any, hint: Any) -> Any:
    """Return what is sent of an event; nothing for an error that is expected."""
    error = hint["exc_info"][1] if hint.get("exc_info") else None
    if error is not None and withheld.is_expected(error):
        return None
    kept = {name: event[name] for name in _KEPT if name in event}
    if "logentry" in event:
        # The template of a log line, without its arguments.
        kept["logentry"] = {"message": withheld.hide_secrets(str(event["logentry"].get("message", "")))}
    if "exception" in event:
        parts = ("type", "module", "stacktrace")
        values = [{part: value.get(part) for part in parts} for value in event["exception"].get("values", [])]
        kept["exception"] = {"values": values}
    return kept
