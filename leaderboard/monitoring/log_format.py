"""The lines of the log, for Django and gunicorn alike: LOG_FORMAT is `line` or `json`.

In both, an error that is expected (withheld.is_expected) is one line, and any other has its traceback.
"""

import logging
from datetime import UTC, datetime

from gunicorn.glogging import Logger
from structlog.contextvars import merge_contextvars
from structlog.processors import JSONRenderer
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, WrappedLogger

from leaderboard import env
from leaderboard.monitoring import withheld

FORMATS = ("line", "json")


class LogFormatter(ProcessorFormatter):
    """Format a record as `2026-11-22T09:30:00.123+00:00 INFO name: message`, or as JSON with its ids.

    Raises ImproperlyConfigured for another LOG_FORMAT.
    """

    def __init__(self, *_: object) -> None:
        is_json = env.choice("LOG_FORMAT", "line", FORMATS) == "json"
        render = JSONRenderer(ensure_ascii=False, default=str) if is_json else _line
        super().__init__(processors=[merge_contextvars, _as_fields, render])


class GunicornLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    def setup(self, cfg: object) -> None:
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(LogFormatter())


def _as_fields(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event.pop("_record")
    exc_info = event.pop("exc_info", None)
    event.pop("stack_info", None)
    del event["_from_structlog"]
    message, trace = event.pop("event"), ""
    if exc_info and (error := exc_info[1]):
        message = withheld.without_text(message, error)
        if withheld.is_expected(error):
            message = f"{message} ({withheld.describe(error)})"
        else:
            trace = withheld.hide_secrets(withheld.format_trace(error))
    fields = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname,
        "logger": record.name,
        "message": withheld.hide_secrets(message),
    }
    # What is left are the ids.
    return {**fields, **event, **({"exception": trace} if trace else {})}


def _line(_: WrappedLogger, __: str, event: EventDict) -> str:
    line = "{time} {level} {logger}: {message}".format_map(event)
    return f"{line}\n{event['exception']}" if "exception" in event else line
