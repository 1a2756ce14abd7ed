"""The formats of log lines, for Django and gunicorn alike: LOG_FORMAT is `line` or `json`.

In both, an error that is expected (withheld.is_expected) is one line, and any other has its traceback.
"""

import logging
import time
from datetime import UTC, datetime

from gunicorn.glogging import Logger
from structlog.contextvars import merge_contextvars
from structlog.processors import JSONRenderer
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, WrappedLogger

from leaderboard import env
from leaderboard.monitoring import withheld

_DEFAULT = "line"


class LineFormatter(logging.Formatter):
    """Format a record as `2026-11-22 09:30:00,123 INFO name: message`, in UTC."""

    converter = time.gmtime  # type: ignore[assignment]  # its argument is optional

    def __init__(self, *_: object) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        record.message, trace = _message_and_trace(record.getMessage(), error)
        record.asctime = self.formatTime(record)
        line = self.formatMessage(record)
        return f"{line}\n{trace}" if trace else line


class JsonFormatter(ProcessorFormatter):
    """Format a record as one line of JSON: `time`, `level`, `logger`, `message`, ids, `exception`."""

    def __init__(self, *_: object) -> None:
        super().__init__(
            processors=[
                merge_contextvars,
                _as_fields,
                JSONRenderer(ensure_ascii=False, default=str),
            ],
        )


FORMATTERS = {"line": LineFormatter, "json": JsonFormatter}


def chosen_formatter() -> type[logging.Formatter]:
    """Return the formatter that LOG_FORMAT names. Raises ImproperlyConfigured where there is none."""
    return FORMATTERS[env.choice("LOG_FORMAT", _DEFAULT, FORMATTERS)]


class GunicornLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Write gunicorn's own messages in the same format."""

    def setup(self, cfg: object) -> None:
        """Set up gunicorn's handlers, then their format."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(chosen_formatter()())


def _message_and_trace(message: str, error: BaseException | None) -> tuple[str, str]:
    if error is None:
        return withheld.hide_secrets(message), ""
    message = withheld.without_text(message, error)
    if withheld.is_expected(error):
        return withheld.hide_secrets(f"{message} ({withheld.describe_in_line(error)})"), ""
    return withheld.hide_secrets(message), withheld.hide_secrets(withheld.format_trace(error))


def _as_fields(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event.pop("_record")
    exc_info = event.pop("exc_info", None)
    event.pop("stack_info", None)
    message, trace = _message_and_trace(event.pop("event"), exc_info[1] if exc_info else None)
    fields = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname,
        "logger": record.name,
        "message": message,
    }
    del event["_from_structlog"]
    # What is left are the ids.
    return {**fields, **event, **({"exception": trace} if trace else {})}
