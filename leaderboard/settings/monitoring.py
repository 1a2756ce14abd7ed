"""What operators see of a running service: its log, and where metrics, errors and traces go."""

import logging

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from leaderboard.monitoring.log_format import LogFormatter

# Warnings of Python and its libraries become lines of the log, too.
logging.captureWarnings(True)


def _lower_client_errors(record: logging.LogRecord) -> bool:
    # A wrong host or too many parameters: anyone can send these, and there is nothing to fix. To refuse a
    # request while the service is busy or the disk is full is expected; the cause has a line of its own.
    is_refusal = record.name == "django.request" and getattr(record, "status_code", 0) in (503, 507)
    if record.name.startswith("django.security.") or is_refusal:
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = record.exc_text = None
    return True


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"chosen": {"()": LogFormatter}},
    "filters": {
        "client_errors": {"()": "django.utils.log.CallbackFilter", "callback": _lower_client_errors},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "chosen",
            "filters": ["client_errors"],
        },
    },
    "root": {"handlers": ["console"], "level": env.log_level("LOG_LEVEL")},
    "loggers": {
        # A line for each call of the judge would be thousands. Whatever LOG_LEVEL says: in debug lines these
        # libraries write whole questions, answers and SQL with its values.
        **{name: {"level": "WARNING"} for name in ("httpx2", "httpcore2", "openai")},
        "django.db.backends": {"level": "INFO"},
    },
}
_SHORTEST = 16
# Anyone who has it may read /metrics; without it there is no such address.
METRICS_TOKEN = env.text("METRICS_TOKEN")
if METRICS_TOKEN and len(METRICS_TOKEN) < _SHORTEST:
    raise ImproperlyConfigured(f"METRICS_TOKEN is too short: {_SHORTEST} random characters are the fewest")
# Both need the extra `observability`; "" for none.
SENTRY_DSN = env.url("SENTRY_DSN")
OTLP_ENDPOINT = env.url("OTEL_EXPORTER_OTLP_ENDPOINT")
