"""Verify a receipt, an export, a head or a whole log, offline."""

import hashlib
from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from wardboard.scoring.reading.problems import counted, pointer, quote
from wardboard.scoring.receipts.canonical import digest_of
from wardboard.scoring.receipts.log_file import Log, read_log
from wardboard.scoring.receipts.signatures import NotVerified, read_signed


class _Head(msgspec.Struct):
    number: int
    digest: str


class _Stated(msgspec.Struct, kw_only=True):
    """What a statement says: events of the log, and of a receipt or an export what that is about."""

    boards: dict[str, _Head]
    submission: str = ""
    figures: dict[str, Any] = {}
    figures_digest: str | None = None
    name: str = ""
    address: str = ""
    sha256: str = ""


def verify(
    raw: bytes,
    *,
    keys: Collection[str] = (),
    kept: Iterable[bytes] = (),
    signature: bytes | None = None,
) -> list[str]:
    """Verify a file of any kind; return what holds, a sentence each. Raises NotVerified, VerifierMissing.

    keys: that the caller trusts; without any, those that came with the file
    kept: heads, receipts, logs and signatures of exports that were kept, with which a log must agree
    signature: of an export, from the address beside it
    """
    said: list[str] = []
    is_log = signature is None and raw.startswith(b'{"entry":')
    if is_log:
        log = read_log(raw)
        own = _read(log.end, keys, said)
        _compare(log, own, "its last line", said)
        if {slug: len(events) for slug, events in log.boards.items()} != {
            slug: head.number for slug, head in own.boards.items()
        }:
            raise NotVerified("log.not-covered", "It has events that its last line does not sign.")
        size = counted(sum(map(len, log.boards.values())), "event")
        said.append(f"The chains of {size} are whole; {counted(log.withheld, 'text')} withheld.")
    else:
        stated = _read(raw if signature is None else signature, keys, said)
    if signature is not None:
        if hashlib.sha256(raw).hexdigest() != stated.sha256:
            raise NotVerified("export.bytes-changed", f"Its bytes are not those of {quote(stated.name)}.")
        said.append(f"Its bytes are those of {quote(stated.name)} of {quote(stated.address)}.")
    for number, copy in enumerate(kept, 1):
        if not is_log:
            raise NotVerified("kept.no-log", "Kept files are compared with a log, and this file is none.")
        end = copy.removesuffix(b"\n").rpartition(b"\n")[2] + b"\n"
        _compare(log, _read(end, keys, []), f"kept file {number}", said)
    return said


def _read(raw: bytes, keys: Collection[str], said: list[str]) -> _Stated:
    kind, content, key = read_signed(raw, keys)
    try:
        stated = msgspec.convert(content, _Stated)
    except msgspec.ValidationError as error:
        raise NotVerified("file.not-signed", f"It is signed, and no {kind}: {error}.") from error
    if stated.figures_digest and stated.figures_digest != digest_of(stated.figures):
        text = "The digest of the figures is not that of the figures in it."
        raise NotVerified("receipt.figures-differ", text, "/receipt/figures_digest")
    trusted = "" if keys else ": compare it with the key that the service publishes"
    said.append(f"The {kind} is signed by {key}{trusted}.")
    return stated


def _compare(log: Log, stated: _Stated, of: str, said: list[str]) -> None:
    """Compare a log with the events that a statement names. of: what that is"""
    for slug, head in stated.boards.items():
        events = log.boards.get(slug, [])
        if not 0 < head.number <= len(events):
            text = f"The log has {counted(len(events), 'event')} of {quote(slug)}; {of} has {head.number}."
            raise NotVerified("log.cut", text, pointer(slug, len(events) + 1))
        event, name = events[head.number - 1], f"event {head.number} of {quote(slug)}"
        if event.digest != head.digest:
            text = f"The log has another {name} than {of}: it, or one before it, was changed."
            raise NotVerified("log.rewritten", text, pointer(slug, head.number))
        pairs = ((event.figures or {}).get(key) == stated.figures.get(key) for key in ("right", "total"))
        if stated.submission and not (event.submission == stated.submission and all(pairs)):
            text = f"The log has another result or score at {name} than {of}."
            raise NotVerified("receipt.other-score", text, pointer(slug, head.number))
        said.append(f"The log has {name} as {of} has it.")
