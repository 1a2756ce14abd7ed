"""Send errors to Sentry and traces to OpenTelemetry, each only where it is configured.

Neither library is imported otherwise. They are the extra `observability`.
"""

from contextlib import AbstractContextManager, nullcontext

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


def start(*, sentry_dsn: str, otlp_endpoint: str) -> None:
    """Start what is configured. Raises ImproperlyConfigured where its library is not installed.

    sentry_dsn, otlp_endpoint: "" for none. A process that forks may call this before.
    """
    try:
        if sentry_dsn:
            from leaderboard.monitoring import sentry  # noqa: PLC0415 - a library that few need

            sentry.start(sentry_dsn)
        if otlp_endpoint:
            from leaderboard.monitoring import tracing  # noqa: PLC0415 - likewise

            tracing.start(otlp_endpoint)
    except ImportError as error:
        raise ImproperlyConfigured(
            f"SENTRY_DSN and OTEL_EXPORTER_OTLP_ENDPOINT need the extra `observability`: {error}"
        ) from error


def span_of_task(name: str, lane: str, request_id: str | None) -> AbstractContextManager[object]:
    """Trace what the caller does for a task, where traces are sent."""
    if not settings.OTLP_ENDPOINT:
        return nullcontext()
    from leaderboard.monitoring import tracing  # noqa: PLC0415 - a library that few need

    return tracing.span_of_task(name, lane, request_id)
