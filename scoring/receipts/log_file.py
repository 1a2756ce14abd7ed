"""Read a downloaded log, and find the first event that was changed."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from wardboard.scoring.reading.problems import pointer, quote
from wardboard.scoring.receipts.canonical import canonical
from wardboard.scoring.receipts.entries import FORMAT, NOTHING, TEXTS, as_line, commit_to_text
from wardboard.scoring.receipts.signatures import NotVerified


class Event(msgspec.Struct):
    """What verifying needs of an entry."""

    format: str
    board: str
    number: int
    previous: str
    submission: str | None
    figures: dict[str, float | None] | None
    system_name: str | None
    reason: str | None
    digest: str = ""


class _Text(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    salt: str


class _Line(msgspec.Struct):
    entry: Event
    texts: dict[Literal["system_name", "reason"], _Text]


@dataclass(slots=True)
class Log:
    """A log whose chains are whole.

    end: the last line, unverified: the signed heads
    boards: slug -> its events; withheld: number of texts of which it has the digests alone
    """

    end: bytes
    boards: dict[str, list[Event]] = field(default_factory=dict)
    withheld: int = 0


def read_log(raw: bytes) -> Log:
    """Read a log, a JSON object a line, and check the chain of each leaderboard. Raises NotVerified."""
    # Do not use `splitlines`: a line break that became another one is a change too.
    *lines, end = raw.removesuffix(b"\n").split(b"\n")
    log = Log(end + b"\n")
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
            parsed, body = msgspec.convert(value, _Line), canonical(value["entry"])
            is_as_written = as_line(body, value["texts"]) == line + b"\n" and parsed.entry.format == FORMAT
        except (ValueError, RecursionError):
            is_as_written = False
        if not is_as_written:
            text = f"Line {number:,} was changed, or is no event of a known version."
            raise NotVerified("log.line-changed", text, line=number)
        parsed.entry.digest = hashlib.sha256(body).hexdigest()
        _add(log, parsed.entry, parsed.texts, number)
    return log


def _add(log: Log, event: Event, texts: Mapping[Any, _Text], line: int) -> None:
    events = log.boards.setdefault(event.board, [])
    last, name = len(events), f"Event {event.number} of {quote(event.board)}"
    if event.number != last + 1:
        text = f"{name} follows event {last}: events between them are missing."
        raise NotVerified("log.event-missing", text, pointer(event.board, last + 1), line)
    if event.previous != (events[-1].digest if events else NOTHING):
        text = f"{name} names another digest of event {last} than that has: event {last} was changed."
        raise NotVerified("log.event-changed", text, pointer(event.board, last), line)
    for text_name in TEXTS:
        digest, shown = getattr(event, text_name), texts.get(text_name)
        log.withheld += digest is not None and shown is None
        if shown and commit_to_text(shown.text, shown.salt) != digest:
            text = f"{name}: its {text_name} is not the text that was recorded."
            raise NotVerified("log.text-changed", text, pointer(event.board, event.number, text_name), line)
    events.append(event)
