"""Errors for Sentry, without anything that may be secret: code, ids and classes of exceptions alone."""

from typing import Any

import sentry_sdk
from sentry_sdk.types import Event, Hint

from leaderboard.monitoring import withheld

# Whatever else a library or a later release puts into an event is left out.
_KEPT = (
    "event_id",
    "timestamp",
    "level",
    "logger",
    "platform",
    "release",
    "environment",
    "server_name",
    "transaction",
    "transaction_info",
    "sdk",
    "modules",
    "type",
)


def start(dsn: str) -> None:
    """Report errors to `dsn`."""
    sentry_sdk.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        # They hold log lines, SQL and addresses of requests.
        max_breadcrumbs=0,
        traces_sample_rate=None,
        auto_session_tracking=False,
        before_send=reduce_event,
    )


def reduce_event(event: Event, hint: Hint) -> Event | None:
    """Return what is sent of an event; nothing for an error that is expected."""
    error = hint["exc_info"][1] if hint.get("exc_info") else None
    if error is not None and withheld.is_expected(error):
        return None
    source: dict[str, Any] = dict(event)
    kept: dict[str, Any] = {name: source[name] for name in _KEPT if name in source}
    if (source.get("transaction_info") or {}).get("source") not in ("route", "task"):
        # The transaction name would contain the URL.
        kept.pop("transaction", None)
    if "logentry" in source:
        # The template of a log line, without its arguments.
        kept["logentry"] = {"message": withheld.hide_secrets(str(source["logentry"].get("message", "")))}
    if "exception" in source:
        kept["exception"] = {"values": _exceptions(source["exception"], error)}
    return kept  # type: ignore[return-value]  # has only keys of an Event


def _exceptions(exception: dict[str, Any], error: BaseException | None) -> list[dict[str, Any]]:
    values = exception.get("values", [])
    return [
        {
            "type": value.get("type"),
            "module": value.get("module"),
            # Of the last one we know whether its text may quote a file.
            "value": withheld.hide_secrets(withheld.describe(error)) if error and value is values[-1] else "",
            "mechanism": {"type": "generic", "handled": (value.get("mechanism") or {}).get("handled")},
            # Code alone: `include_local_variables` is off.
            "stacktrace": value.get("stacktrace"),
        }
        for value in values
    ]
