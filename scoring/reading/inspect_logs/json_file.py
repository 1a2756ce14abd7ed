"""Read the JSON of a log of inspect_ai: one object, of which one sample is in memory at a time."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.streams.json_stream import JsonStream, Row
from wardboard.scoring.reading.streams.text_stream import head_of, text_pieces

_SAMPLES = "samples"
_HEADER = {"version", "status", "eval"}
_OF_A_SAMPLE = {"id", "epoch", "input"}


def header_of_json(source: BinaryIO) -> dict[str, Any] | None:
    """Return what stands before the samples of a log, plain or gzip; None if a seekable file is no log.

    It is left at its start.
    """
    head = head_of(source)
    # Most files are no logs, and parsing the head of one takes longer than this.
    may_be = head.startswith("{") and ('"eval"' in head or f'"{_SAMPLES}"' in head)
    members = dict(_members_of(head)) if may_be else {}
    is_log = isinstance(members.get("eval"), dict) and not members.keys().isdisjoint({"plan", _SAMPLES})
    # Another program may have put the samples first.
    first = members.pop(_SAMPLES, None)
    is_sample = isinstance(first, dict) and first.keys() >= _OF_A_SAMPLE
    return members if is_log or is_sample else None


def _members_of(head: str) -> Iterator[tuple[str, Any]]:
    decoder = json.JSONDecoder()
    at = 1
    try:
        while True:
            key, at = decoder.raw_decode(head, _next(head, at))
            at = _next(head, at) + 1
            if key == _SAMPLES:
                yield key, None
                yield key, decoder.raw_decode(head, _next(head, _next(head, at) + 1))[0]
                return
            value, at = decoder.raw_decode(head, _next(head, at))
            yield key, value
            at = _next(head, at)
            if head[at] != ",":
                return
            at += 1
    except (ValueError, IndexError, RecursionError):
        # The head ends here, or is no JSON.
        return


def _next(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def json_rows(source: BinaryIO, findings: Findings) -> Iterator[Row]:
    """Yield the header of a log in a seekable file, then its samples, each with its place.

    Problems are reported. Raises Unreadable for what ends the reading.
    """
    header = header_of_json(source) or {}
    if not header.keys() >= _HEADER:
        # The members are not in the order of inspect_ai, so the header stands behind the samples.
        members = _stream(source, findings.discarded()).members(streamed=_SAMPLES)
        header |= {key: value for key, value in members if not isinstance(value, Iterator) or _skip(value)}
    yield findings, header
    for _, value in _stream(source, findings).members(streamed=_SAMPLES):
        findings.check_time()
        if isinstance(value, Iterator):
            yield from value


def _stream(source: BinaryIO, findings: Findings) -> JsonStream:
    source.seek(0)
    limits = replace(findings.limits, unpacked_bytes=findings.limits.log_bytes)
    stream = JsonStream(text_pieces(source, limits), findings)
    stream.peek()
    return stream


def _skip(rows: Iterator[Row]) -> bool:
    for here, _ in rows:
        here.check_time()
    return False
