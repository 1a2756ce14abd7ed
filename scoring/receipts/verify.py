"""Verify a receipt, an export, a checkpoint or a whole log, offline."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from wardboard.scoring.reading.problems import Problem, counted, pointer, quote
from wardboard.scoring.receipts.canonical import digest_of
from wardboard.scoring.receipts.checkpoints import Checkpoint, read_checkpoint
from wardboard.scoring.receipts.exports import verify_export
from wardboard.scoring.receipts.log_file import Log, first_difference, read_log
from wardboard.scoring.receipts.notes import NoteInvalid, read_note
from wardboard.scoring.receipts.receipts import ReceiptInvalid, verify_receipt, write_receipt
from wardboard.scoring.receipts.signatures import PublicKey, read_key
from wardboard.scoring.receipts.verification import COMPARE_KEYS, Verification, carried_keys, carried_lines

# A note contains this; JSON, in which a note has no line breaks, cannot.
_SIGNATURE = "\n\n— ".encode()
_UNKNOWN = "Download the file again. Verify an export in another format with its signature (--signature)."
_FORKED = "Ask the organisers, and show them both."
# Actions of the log after which a receipt no longer says what its result is today.
_CHANGE_RESULTS = ("withdrawn", "disqualified", "reinstated", "rescored")


def read_keys(text: str) -> list[PublicKey]:
    """Read public keys: the JSON of the service's keys, or a line for each. Raises ValueError."""
    try:
        document = json.loads(text)
        lines = {str(key["key"]): key.get("until") for key in document["public_keys"]}
    except (ValueError, KeyError, TypeError, AttributeError):
        lines = dict.fromkeys(line for line in text.splitlines() if line.strip())
    if not lines:
        raise ValueError("there is no public key in it")
    return [
        replace(read_key(line), until=datetime.fromisoformat(str(until)).astimezone(UTC) if until else None)
        for line, until in lines.items()
    ]


def verify(
    raw: bytes,
    *,
    keys: Sequence[PublicKey] = (),
    log: bytes | None = None,
    kept: Iterable[bytes] = (),
    ranked: Collection[str] = (),
    signature: bytes | None = None,
) -> Verification:
    """Verify a file of any kind. Raises VerifierMissing.

    keys: that the caller trusts; without any, those that came with the file
    log: a downloaded log, in which the receipt or the rows of the export must be
    kept: checkpoints and logs that were kept earlier
    ranked: keys of the metrics that leaderboards are ranked by, as rows of exports name them
    signature: of an export, from the address beside it
    """
    events_log = Log() if log is None else read_log(log)
    try:
        document = _document(raw)
    except _NameRepeated:
        verification = Verification("document")
        text = "A name in it is given twice: who reads it may see another value than was signed."
        verification.add("document.name-repeated", text, "Download the file again.")
        return verification
    if isinstance(document, dict) and "receipt" in document:
        verification = _receipt(raw, document, keys, events_log if log is not None else None)
    elif isinstance(document, dict) and "rows" in document:
        verification = _export(document, keys, events_log if log is not None else None, ranked)
    elif signature is not None:
        verification = Verification("export")
    elif _SIGNATURE in raw:
        verification = Verification("checkpoint")
        checkpoint = _checkpoint(raw.decode(errors="replace"), keys, [], verification)
        if checkpoint and log is not None:
            _compare(events_log, checkpoint, verification)
    else:
        log_read = read_log(raw)
        verification = _log(log_read, keys)
        events_log = log_read if verification.kind == "log" else events_log
    if verification.kind == "export" or signature is not None:
        carried = carried_lines(document) if isinstance(document, dict) else []
        verify_export(raw, signature, keys, carried, verification)
    if verification.kind == "log" or log is not None:
        if verification.kind != "log":
            verification.problems.extend(events_log.problems.listed)
        for copy in kept:
            _compare_with_kept(events_log, copy, keys, verification)
    elif list(kept):
        text = "Kept copies are compared with a log, and no log was given."
        verification.add("kept.no-log", text, "Give the log with --log.")
    return verification


class _NameRepeated(Exception):
    """An object has a name twice: programs differ in which of the two values they take."""


def _document(raw: bytes) -> Any:
    try:
        return json.loads(raw, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        return None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise _NameRepeated
    return values


def _receipt(
    raw: bytes, document: Mapping[str, Any], keys: Sequence[PublicKey], log: Log | None
) -> Verification:
    verification = Verification("receipt")
    try:
        carried = [str(line.get("key", "")) for line in document["signatures"]]
        content, key = verify_receipt(document, keys or carried_keys(carried, verification))
    except (ReceiptInvalid, ValueError, TypeError, AttributeError, KeyError) as error:
        verification.add("receipt.not-signed", f"The receipt does not verify: {error}", COMPARE_KEYS)
        return verification
    if write_receipt(document) != raw:
        text = "The receipt is not written as the service writes it: bytes of the file were changed."
        verification.add("receipt.not-as-written", text, "Download it again, and save it as it is.")
        return verification
    verification.statements.append(f"The receipt is signed by {key.name} ({key.id}) and unchanged.")
    _check_content(content, key, log, verification)
    return verification


def _check_content(
    content: Mapping[str, Any], key: PublicKey, log: Log | None, verification: Verification
) -> None:
    """Check what a receipt says, once its signature is verified."""
    times = content.get("times")
    _heed_until(key, times.values() if isinstance(times, dict) else (), verification)
    figures, digest = content.get("figures"), content.get("figures_digest")
    if digest is not None:
        if digest_of(figures) != digest:
            text = "The digest of the figures is not that of the figures in the receipt."
            verification.add("receipt.figures-differ", text, _FORKED, "/receipt/figures_digest")
        else:
            verification.statements.append(f"The digest of its figures is {digest}.")
    if log is not None:
        _receipt_in_log(content, log, verification)


def _heed_until(key: PublicKey, times: Iterable[Any], verification: Verification) -> None:
    """Add a problem where a signed document has a time after the moment at which its key was replaced."""
    latest = max((at for time in times if (at := _time(time)) is not None), default=None)
    if key.until is not None and latest is not None and latest > key.until:
        kind = verification.kind
        text = (
            f"The key {key.name} ({key.id}) was replaced at {key.until.isoformat()}, and the {kind} has a "
            f"time after that: {latest.isoformat()}."
        )
        hint = "Download it again. If it has the same key then, ask the organisers."
        verification.add(f"{kind}.key-replaced", text, hint)


def _time(value: Any) -> datetime | None:
    """Return a time that a document states; None where it is none."""
    try:
        time = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return time if time.tzinfo else None


def _receipt_in_log(content: Mapping[str, Any], log: Log, verification: Verification) -> None:
    event = content.get("event")
    if not isinstance(event, dict):
        verification.statements.append("The result was not published, so that the log says nothing about it.")
        return
    slug, number = str(content.get("board")), event.get("number")
    board = log.boards.get(slug)
    if board is None or not isinstance(number, int) or not 0 < number <= len(board.digests):
        text = f"The log has no event {quote(str(number))} of {quote(slug)}, which the receipt names."
        verification.add("receipt.not-in-log", text, "Download a log that is newer than the receipt.")
        return
    entry = board.entries[number - 1]
    if board.digests[number - 1] != event.get("hash") or entry["submission"] != content.get("submission"):
        text = f"Event {number} of {quote(slug)} in the log is not the one that the receipt names."
        verification.add("receipt.other-event", text, _FORKED, pointer(slug, number))
        return
    figures, stated = entry["figures"] or {}, content.get("figures") or {}
    if any(figures.get(name) != stated.get(name) for name in ("right", "total")):
        text = f"Event {number} of {quote(slug)} states another score than the receipt."
        verification.add("receipt.other-score", text, _FORKED, pointer(slug, number, "figures"))
        return
    verification.statements.append(f"The log has it as event {number} of {slug}.")
    for later in board.entries[number:]:
        # A receipt that was kept is true of its time; the log knows what has become of the result.
        if later["submission"] == content.get("submission") and later.get("action") in _CHANGE_RESULTS:
            event = f"event {later['number']} of {quote(slug)}"
            verification.statements.append(f"Since then the result was {later['action']}: {event}.")


def _export(
    document: Mapping[str, Any], keys: Sequence[PublicKey], log: Log | None, ranked: Collection[str]
) -> Verification:
    verification = Verification("export")
    note = document.get("checkpoint")
    if not isinstance(note, str):
        verification.add("export.no-checkpoint", "The export has no checkpoint.", "Export it again as JSON.")
        return verification
    checkpoint = _checkpoint(note, keys, carried_lines(document), verification)
    slug, number = str(document.get("benchmark")), document.get("event")
    if checkpoint and isinstance(number, int):
        head = checkpoint.heads.get(slug)
        if number and (head is None or head.number < number):
            text = f"The checkpoint does not cover event {number} of {quote(slug)}, which the export shows."
            verification.add("export.not-covered", text, "Export it again.", "/event")
    if log is None:
        verification.verdict = "its checkpoint verified, its rows not compared"
        verification.statements.append("Its rows are compared with a log only where one is given (--log).")
        return verification
    if checkpoint:
        _compare(log, checkpoint, verification)
    board = log.boards.get(slug)
    if board is None or not isinstance(number, int) or number > len(board.entries):
        text = f"The log does not reach event {quote(str(number))} of {quote(slug)}, which the export shows."
        verification.add(
            "export.log-too-old", text, "Download a log that is newer than the export.", "/event"
        )
        return verification
    rows, shown = board.rows_at(number), document["rows"]
    listed: set[int] = set()
    for index, row in enumerate(shown if isinstance(shown, list) else [shown]):
        system = _system_of(row) if isinstance(row, dict) else 0
        if system in listed or not isinstance(row, dict):
            text = "This is not a row of a leaderboard, or its system has another row before it."
            verification.add("export.row-differs", text, "Export it again.", pointer("rows", index))
        elif (name := _differing(row, rows.get(system), _score_names(document, row, ranked))) is not None:
            text = f"The row of system {quote(str(row.get('system_id')))} is not the one in the log: {name}."
            verification.add("export.row-differs", text, _FORKED, pointer("rows", index, name))
        listed.add(system)
    if not document.get("filters") and (missing := rows.keys() - listed):
        names = ", ".join(map(str, sorted(missing)[:10]))
        text = f"The export lacks {counted(len(missing), 'row')} that the log has, of the systems {names}."
        verification.add("export.rows-missing", text, _FORKED, "/rows")
    if not verification.problems:
        verification.statements.append(
            f"The log has {counted(len(listed), 'row')} of the export at event {number}, with the same "
            "system id, kind, judge, correct, total and score. Names and other columns are not compared."
        )
        if document.get("filters"):
            verification.statements.append("It is filtered: what it leaves out was not looked for.")
    return verification


def _dicts(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list that a hostile document may have filled with anything."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _system_of(row: Mapping[str, Any]) -> int:
    system = row.get("system_id")
    return system if isinstance(system, int) else 0


def _score_names(document: Mapping[str, Any], row: Mapping[str, Any], ranked: Collection[str]) -> list[str]:
    """Return the names under which a row has its score.

    The ranked metric that the export names counts only if the row has none of the known ones: a person who
    changed a score could name another metric.
    """
    names_in_row = [name for name in ranked if name in row]
    return names_in_row or [
        next((str(metric.get("key")) for metric in _dicts(document.get("metrics"))), "score")
    ]


def _differing(
    row: Mapping[str, Any], logged: Mapping[str, Any] | None, score_names: Sequence[str]
) -> str | None:
    """Return the name of the first field in which a row differs from the log; None if none does."""
    if logged is None:
        return "system_id"
    names = {name: name for name in ("kind", "judge", "right", "total")} | dict.fromkeys(score_names, "score")
    return next((name for name, field in names.items() if row.get(name) != logged.get(field)), None)


def _log(log: Log, keys: Sequence[PublicKey]) -> Verification:
    """Verify what was read as a log, or report that no line of it belongs to one."""
    if not (log.boards or log.note):
        verification = Verification("document")
        text = "It is not a receipt, a log, a checkpoint or an export as JSON."
        verification.add("document.unknown", text, _UNKNOWN)
        return verification
    verification = Verification("log", problems=log.problems)
    boards = counted(len(log.boards), "leaderboard")
    if not log.problems:
        verification.statements.append(
            f"The chains of {counted(log.size, 'event')} on {boards} are whole, in themselves."
        )
    for line in log.keys:
        try:
            read_key(line)
        except ValueError as error:
            verification.add(
                "log.key-unreadable", f"A key at the end of the log cannot be read: {error}", COMPARE_KEYS
            )
    if log.withheld:
        verification.statements.append(
            f"{counted(log.withheld, 'text')} withheld: their digests alone are in it."
        )
    if not log.note:
        text = "The log has no checkpoint at its end: it was cut, or is of another service."
        verification.add("log.no-checkpoint", text, "Download it again.")
    elif checkpoint := _checkpoint(log.note, keys, log.keys, verification, times=log.times):
        _compare(log, checkpoint, verification, is_own=True)
        if others := checkpoint.heads.keys() - log.boards.keys():
            number = counted(len(others), "other leaderboard")
            verification.statements.append(
                f"The checkpoint also names {number}, whose events are not in this file."
            )
    return verification


def _compare_with_kept(log: Log, copy: bytes, keys: Sequence[PublicKey], verification: Verification) -> None:
    """Compare a log with a checkpoint, a log or an export that was kept earlier."""
    if _SIGNATURE not in copy:
        try:
            document = _document(copy)
        except _NameRepeated:
            document = None
        if not (isinstance(document, dict) and isinstance(document.get("checkpoint"), str)):
            earlier = read_log(copy)
            if not earlier.boards:
                text = "A kept file is not a checkpoint, a log or an export: it was not compared."
                verification.add("kept.unreadable", text, "Name another copy.")
                return
            differences = list(first_difference(log, earlier))
            verification.problems.extend(differences)
            if not differences:
                verification.statements.append(
                    f"It has all {counted(earlier.size, 'event')} of the log that was kept."
                )
            return
        text, carried = document["checkpoint"], carried_lines(document)
    else:
        text, carried = copy.decode(errors="replace"), []
    # A bare note carries no key: it may have been signed with one of the log's keys.
    if checkpoint := _checkpoint(text, keys, carried or log.keys, verification):
        _compare(log, checkpoint, verification)


def _checkpoint(
    text: str,
    keys: Sequence[PublicKey],
    carried: Sequence[str],
    verification: Verification,
    *,
    times: Iterable[Any] = (),
) -> Checkpoint | None:
    """Return the checkpoint of a note that verifies; else add the problem. times: those of its events."""
    try:
        note = read_note(text)
        (key, *_) = note.verify(keys or carried_keys(carried, verification))
        checkpoint = read_checkpoint(note)
    except (NoteInvalid, ValueError) as error:
        verification.add("checkpoint.not-signed", f"The checkpoint does not verify: {error}", COMPARE_KEYS)
        return None
    _heed_until(key, times, verification)
    size = counted(checkpoint.size, "event")
    verification.statements.append(f"The checkpoint of {size} is signed by {key.name} ({key.id}).")
    return checkpoint


def _compare(log: Log, checkpoint: Checkpoint, verification: Verification, *, is_own: bool = False) -> None:
    problems = list(_differences(log, checkpoint, is_own=is_own))
    verification.problems.extend(problems)
    # The digests that a changed log states may agree all the same.
    if not problems and not log.problems:
        verification.statements.append(
            f"The log agrees with the checkpoint of {counted(checkpoint.size, 'event')}."
        )


def _differences(log: Log, checkpoint: Checkpoint, *, is_own: bool) -> Iterator[Problem]:
    """Yield where a log is not the one of a checkpoint. is_own: whether it ends with this checkpoint"""
    for slug, head in checkpoint.heads.items():
        # The log of one leaderboard has the checkpoint of all.
        if slug not in log.boards and is_own:
            continue
        digests = log.boards[slug].digests if slug in log.boards else []
        count, name = len(digests), quote(slug)
        if count < head.number:
            text = f"The log ends at event {count} of {name}, and the checkpoint has {head.number}."
            yield _rewritten("log.cut", slug, count + 1, text)
        elif head.number and digests[head.number - 1] != head.digest:
            text = (
                f"Event {head.number} of {name} is not the one that the checkpoint names: it, or an event "
                "before it, was changed since."
            )
            yield _rewritten("log.rewritten", slug, head.number, text)
    for slug, board in log.boards.items() if is_own else ():
        covered = checkpoint.heads[slug].number if slug in checkpoint.heads else 0
        if len(board.digests) > covered:
            text = f"The checkpoint of the log does not cover event {covered + 1} of {quote(slug)}."
            yield _rewritten("log.not-covered", slug, covered + 1, text)


def _rewritten(code: str, slug: str, number: int, text: str) -> Problem:
    return Problem(code=code, pointer=pointer(slug, number), message=text, hint=_FORKED)
