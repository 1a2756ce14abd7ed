"""Boards as CSV and JSON, and views as CSV: figures as they are, in full, for a spreadsheet or a script.

All are made row by row: a board of any size takes the memory of a few rows.
"""

import csv
import io
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from leaderboard.models import Benchmark
from leaderboard.services.boards.row import Row
from leaderboard.services.exports import rows as board_records

# What begins a formula, and what a spreadsheet may part cells at.
_SIGNS, _BREAKS = frozenset("=+-@"), frozenset("\t\r\n")
_PIECE = 32 * 1024  # characters


def neutralise(value: Any) -> Any:
    """A spreadsheet would run a cell that begins like a formula; a figure is what it is.

    Some pass over spaces before it, and take the full-width signs of East Asian texts for the plain ones.
    """
    # A letter or a digit begins most texts, and no formula.
    if not isinstance(value, str) or value[:1].isalnum():
        return value
    first = unicodedata.normalize("NFKC", value.lstrip()[:1])[:1]
    return f"'{value}" if first in _SIGNS or value[:1] in _BREAKS else value


def write_csv(records: Iterable[Mapping[str, Any]], *, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a CSV file. names: its head, and the keys of each record in their order; else the
    keys of the first record; nothing of none."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)

    def taken(cells: Iterable[Any]) -> str:
        writer.writerow(cells)
        line = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return line

    if names:
        yield taken(names)
    for record in records:
        if not names:
            names = list(record)
            yield taken(names)
        yield taken([neutralise(record[name]) for name in names])


def board_csv(*, benchmark: Benchmark, rows: Iterable[Row], event: int) -> Iterator[str]:
    """Yield the lines of the board's table: one a row, with all figures that may be seen of it."""
    names = board_records.field_names(benchmark)
    found = board_records.records(benchmark=benchmark, rows=rows, event=event)
    return write_csv(({**one, "models": ", ".join(one["models"])} for one in found), names=names)


def board_json(
    *, benchmark: Benchmark, rows: Iterable[Row], event: int, head: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the parts of a JSON object: the members of `head`, and `rows`, a line each."""
    yield _as_json(head).removesuffix("}") + ', "rows": ['
    separator = "\n"
    for record in board_records.records(benchmark=benchmark, rows=rows, event=event):
        yield separator + _as_json(record)
        separator = ",\n"
    yield "\n]}\n"


def chunked(parts: Iterable[str]) -> Iterator[bytes]:
    """Yield the same text as UTF-8 in larger pieces: each that is sent costs as much as a row."""
    held, size = [], 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= _PIECE:
            yield "".join(held).encode()
            held, size = [], 0
    yield "".join(held).encode()


def _as_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def file_name(benchmark: Benchmark, event: int, extension: str) -> str:
    """Return what the file of an export is called; with the state of the board, so that two differ."""
    return f"{benchmark.slug}-{event}.{extension}" if event else f"{benchmark.slug}.{extension}"
