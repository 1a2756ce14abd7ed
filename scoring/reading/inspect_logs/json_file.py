"""Read the JSON of a log of inspect_ai: one object, of which one sample is in memory at a time."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO

from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.reading.streams.json_stream import JsonStream, Row
from wardboard.scoring.reading.streams.text_stream import head_of, text_pieces

_SAMPLES = "samples"
_HEADER = {"version", "status", "eval"}
_MOST_MEMBERS = 200  # before the samples, of which inspect_ai writes ten


def header_of_json(source: BinaryIO) -> dict[str, Any] | None:
    """Return what stands before the samples of a log, plain or gzip; None if a seekable file is no log.

    It is left at its start.
    """
    head = head_of(source)
    # Most files are no logs, and parsing the head of one takes longer than this.
    if not head.startswith("{") or not ('"eval"' in head or f'"{_SAMPLES}"' in head):
        return None
    members, first = dict[str, Any](), None
    stream = JsonStream(iter([head]), Findings.under(Limits()))
    stream.peek()
    has_samples = False
    with suppress(Unreadable, SubmissionInvalid):
        for key, value in islice(stream.members(streamed=_SAMPLES), _MOST_MEMBERS):
            if key == _SAMPLES:
                has_samples = True
                # Another program may have put the samples first.
                first = next((sample for _, sample in value), None) if isinstance(value, Iterator) else None
                break
            members[key] = value
    is_log = isinstance(members.get("eval"), dict) and (has_samples or "plan" in members)
    is_sample = isinstance(first, dict) and first.keys() >= {"id", "epoch", "input"}
    return members if is_log or is_sample else None


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
