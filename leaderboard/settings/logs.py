"""What is logged, and as what."""

import logging

from leaderboard import env


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
    "formatters": {"line": {"()": "leaderboard.log_format.LineFormatter"}},
    "filters": {"client_errors": {"()": "django.utils.log.CallbackFilter", "callback": _lower_client_errors}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["client_errors"]}
    },
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    # A line for each call of the judge would be thousands for a submission.
    "loggers": {"httpx2": {"level": "WARNING"}},
}
