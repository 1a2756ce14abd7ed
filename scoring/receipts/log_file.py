"""Read a downloaded log, and find the events that were changed."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wardboard.scoring.reading.problems import Problem, Remarks, pointer, quote
from wardboard.scoring.receipts.canonical import canonical
from wardboard.scoring.receipts.checkpoints import Head
from wardboard.scoring.receipts.entries import FORMAT, NOTHING, TEXTS, commit_to_text, digest_of_entry

_ASK = "Download the log again. If it stays so, ask the organisers, and compare it with a copy kept earlier."


@dataclass(slots=True)
class BoardLog:
    """The events of a leaderboard, as read: their contents, and the digests that the log states of them."""

    entries: list[Mapping[str, Any]] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)

    @property
    def head(self) -> Head:
        """The last event."""
        return Head(len(self.digests), self.digests[-1] if self.digests else NOTHING)

    def rows_at(self, number: int) -> dict[int, Mapping[str, Any]]:
        """Return system -> its row right after an event, without rows that were removed."""
        rows = {row["system"]: row for entry in self.entries[:number] for row in entry["rows"]}
        return {system: row for system, row in rows.items() if not row.get("removed")}


@dataclass(slots=True)
class Log:
    """A log as it was read. note: the checkpoint at its end, "" without. keys: lines that came with it."""

    boards: dict[str, BoardLog] = field(default_factory=dict)
    problems: Remarks = field(default_factory=Remarks)
    withheld: int = 0
    note: str = ""
    keys: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of all events."""
        return sum(len(board.entries) for board in self.boards.values())

    @property
    def times(self) -> list[Any]:
        """When the events were, as these state it."""
        return [entry.get("at") for board in self.boards.values() for entry in board.entries]

    @property
    def heads(self) -> dict[str, Head]:
        return {slug: board.head for slug, board in self.boards.items()}


def read_log(raw: bytes) -> Log:
    """Read a log, a JSON object a line, and check every event. All problems are in the result."""
    log = Log()
    before = "the beginning"
    # Do not use `splitlines`: a line break that became another one is a change too.
    for number, line in enumerate(raw.removesuffix(b"\n").split(b"\n"), 1):
        if log.note:
            log.problems.add(
                _problem("log.after-the-end", "", "There are lines after the checkpoint.", number)
            )
            break
        value = _parsed(line)
        if isinstance(value, dict) and "checkpoint" in value:
            keys = value.get("keys")
            log.note = str(value["checkpoint"])
            log.keys = [str(key) for key in keys] if isinstance(keys, list) else []
            if as_last_line(log.note, log.keys) != line + b"\n":
                text = "The last line, with the checkpoint, is not written as the service writes it."
                log.problems.add(_problem("log.unreadable", "", text, number))
            continue
        if (event := _event_of(value)) is None:
            text = f"Line {number:,}, after {before}, cannot be read as an event."
            log.problems.add(_problem("log.unreadable", "", text, number))
            continue
        if not _is_as_written(line, *event):
            text = f"{_name(event[0])} is not written as the service writes it: its line was changed."
            place = pointer(event[0]["board"], event[0]["number"])
            log.problems.add(_problem("log.line-changed", place, text, number))
        _add(log, *event, line=number)
        before = _name(event[0])
    return log


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


_FIELDS = {"board": str, "number": int, "previous": str, "rows": list, "format": str}


def _event_of(value: Any) -> tuple[dict[str, Any], str, Mapping[str, Any]] | None:
    """Return the content of a line, the digest that it states, and its texts; None if it is no event."""
    if not isinstance(value, dict):
        return None
    entry, digest, texts = value.get("entry"), value.get("hash"), value.get("texts", {})
    if not (isinstance(entry, dict) and isinstance(digest, str) and isinstance(texts, dict)):
        return None
    if not all(isinstance(entry.get(name), kind) for name, kind in _FIELDS.items()):
        return None
    if not all(isinstance(row, dict) and isinstance(row.get("system"), int) for row in entry["rows"]):
        return None
    return entry, digest, texts


def _add(log: Log, entry: dict[str, Any], digest: str, texts: Mapping[str, Any], *, line: int) -> None:
    board = log.boards.setdefault(entry["board"], BoardLog())
    for code, message in _findings(board, entry, digest):
        place = pointer(entry["board"], entry["number"])
        log.problems.add(_problem(code, place, message, line))
    for name in TEXTS:
        text = texts.get(name)
        if text is None:
            log.withheld += entry.get(name) is not None
        elif not _is_text_of(entry.get(name), text):
            message = f"{_name(entry)}: its {name} is not the text that was recorded."
            log.problems.add(
                _problem("log.text-changed", pointer(entry["board"], entry["number"], name), message, line)
            )
    board.entries.append(entry)
    board.digests.append(digest)


def _findings(board: BoardLog, entry: dict[str, Any], digest: str) -> Iterator[tuple[str, str]]:
    name, last = _name(entry), board.head
    if entry["format"] != FORMAT:
        yield "log.format-unknown", f"{name} has the format {quote(entry['format'])}, not {FORMAT}."
    try:
        own = digest_of_entry(entry)
    except ValueError:
        own = "none"
    if own != digest:
        yield (
            "log.event-changed",
            f"{name} was changed: the digest of its content is {own[:16]}…, and the log states "
            f"{quote(digest[:16])}…",
        )
    if entry["number"] != last.number + 1:
        yield "log.event-missing", f"{name} follows event {last.number}: events between them are missing."
    elif entry["previous"] != last.digest:
        yield (
            "log.chain-broken",
            f"{name} names another digest of event {last.number} than that has: the log was changed from "
            f"event {last.number or 1} on, or before it.",
        )


def _is_text_of(digest: Any, text: Any) -> bool:
    try:
        return bool(commit_to_text(text["text"], text["salt"]) == digest)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def _is_as_written(line: bytes, entry: Mapping[str, Any], digest: str, texts: Mapping[str, Any]) -> bool:
    """Return whether a line has no byte more or less than its event needs."""
    try:
        return as_line(canonical(entry).decode(), digest, texts) == line + b"\n" and texts.keys() <= {*TEXTS}
    except ValueError:
        return False


def _name(entry: Mapping[str, Any]) -> str:
    return f"Event {entry['number']} of {quote(entry['board'])}"


def _problem(code: str, place: str, message: str, line: int) -> Problem:
    return Problem(code=code, pointer=place, message=message, hint=_ASK, line=line)


def first_difference(log: Log, kept: Log) -> Iterator[Problem]:
    """Yield, for each leaderboard, the first event in which a log differs from a copy kept earlier."""
    for slug, before in kept.boards.items():
        now = log.boards.get(slug, BoardLog())
        pairs = zip(now.digests, before.digests, strict=False)
        differing = (number for number, (one, other) in enumerate(pairs, 1) if one != other)
        short = len(now.digests) + 1 if len(now.digests) < len(before.digests) else None
        if (number := next(differing, short)) is not None:
            yield Problem(
                code="log.rewritten",
                pointer=pointer(slug, number),
                message=f"From event {number} of {quote(slug)} on, the log is not the one that was kept.",
                hint="Ask the organisers, and show them both copies.",
            )


def as_line(content: str, digest: str, texts: Mapping[str, Any]) -> bytes:
    """Return a line of a log. content: the entry as canonical JSON"""
    return b'{"entry":%b,"hash":"%b","texts":%b}\n' % (content.encode(), digest.encode(), canonical(texts))


def as_last_line(note: str, keys: Iterable[str]) -> bytes:
    """Return the last line of a log: its checkpoint, and the public keys."""
    return canonical({"checkpoint": note, "keys": list(keys)}) + b"\n"
