"""What a log of inspect_ai says of all of its samples."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.values import first_stated, first_text, instant, number, value_at
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

_VERSION = 2
CONVERT = phrase("Convert it to version 2:\ninspect log convert FILE --to json --output-dir .")
_RELEASE = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
# Edits of a log that change no sample. Source: inspect_ai, LogEditType.
_HARMLESS = frozenset({"tags", "metadata"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Facts on a log; "" or None for what it does not state.

    - model: that is evaluated, not one that grades
    - has_cached_apart: whether the input tokens leave out the cached ones
    - status: "success", "error", "cancelled" or "started"
    - is_edited: whether edits are logged that may have changed samples
    - task: id of the evaluation's task, the same in each retry
    - began_on: the day in UTC
    - revision: of the repository in which it ran, with `commit` and `dirty`
    """

    model: str
    release: str
    has_cached_apart: bool
    temperature: float | None
    status: str
    is_edited: bool
    task: str
    completed: str
    began_on: str
    revision: Any


def read_header(value: Any, findings: Findings) -> Header:
    """Return the facts in the header of a log.

    Raises Unreadable for a log of another version than 2, and if there is no header and no problem says why.
    """
    if not isinstance(value, dict):
        if not findings.problems:
            raise Unreadable(FormatCode.DAMAGED, phrase("the log has no header"))
    elif value.get("version") != _VERSION:
        message = phrase("the log has version “{version}”", version=quote(value.get("version")))
        raise Unreadable(FormatCode.UNKNOWN_VERSION, message, hint=CONVERT, steps=("version",))
    release = first_text(value_at(value, "eval", "packages", "inspect_ai"))
    match = _RELEASE.match(release)
    settings = (value_at(value, "eval", "model_generate_config"), value_at(value, "plan", "config"))
    updates = value_at(value, "log_updates")
    # An update that names no edits may have changed anything.
    edits = [value_at(update, "edits") or [None] for update in updates] if isinstance(updates, list) else []
    kinds = [value_at(edit, "type") for own in edits for edit in (own if isinstance(own, list) else [None])]
    began = instant(value_at(value, "stats", "started_at")) or instant(value_at(value, "eval", "created"))
    return Header(
        model=first_text(value_at(value, "eval", "model")),
        release=release,
        # The first release whose input tokens never include the cached ones. Source: inspect_ai's changelog.
        has_cached_apart=match is None or tuple(map(int, match.groups())) >= (0, 3, 184),
        temperature=first_stated(*(number(value_at(each, "temperature")) for each in settings)),
        # What is missing in `_journal/start.json` is the status.
        status=first_text(value_at(value, "status")) or "started",
        is_edited=any(str(kind) not in _HARMLESS for kind in kinds),
        task=first_text(value_at(value, "eval", "task_id")),
        completed=first_text(value_at(value, "stats", "completed_at"), value_at(value, "eval", "created")),
        began_on=datetime.fromtimestamp(began / 1000, UTC).date().isoformat() if began else "",
        revision=value_at(value, "eval", "revision"),
    )


def epochs_of(value: Any) -> int | None:
    """Return how many epochs the header of a log states; None if it states none."""
    epochs = value_at(value, "eval", "config", "epochs")
    return epochs if type(epochs) is int else None
