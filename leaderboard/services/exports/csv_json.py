"""Boards as CSV and JSON, and views as CSV, with figures to three decimals.

Files are written in parts, so a board of any size takes the memory of a thousand rows.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.rows import export_rows, fields_of

# Signs that begin a formula, and characters at which a spreadsheet may split cells.
_FORMULA_SIGNS, _CELL_BREAKS = frozenset("=+-@"), frozenset("\t\r\n")
# In many languages a spreadsheet splits cells at semicolons, within quotes too.
_NEXT_CELL = re.compile(r"[;\t\r\n]\s*+(?=(\S?))")
# With it, spreadsheets on Windows read UTF-8; without it, the code page of the machine.
_BYTE_ORDER_MARK = "\ufeff"
_CHUNK_SIZE = 32 * 1024  # characters
_CHUNK_ROWS = 1000


def neutralise(value: Any) -> Any:
    """Put an apostrophe before each part of a text that a spreadsheet would run as a formula.

    Some spreadsheets skip leading spaces and treat the full-width signs of East Asian texts like plain ones.
    """
    if not isinstance(value, str):
        return value
    value = _NEXT_CELL.sub(lambda m: f"{m[0]}'" if _begins_formula(m[1]) else m[0], value)
    # Fast path: most texts begin with a letter or a digit, and no formula does. A sign alone is none either.
    if value[:1].isalnum() or (len(value) == 1 and value not in _CELL_BREAKS):
        return value
    return f"'{value}" if _begins_formula(value.lstrip()[:1]) or value[:1] in _CELL_BREAKS else value


def _begins_formula(character: str) -> bool:
    return unicodedata.normalize("NFKC", character)[:1] in _FORMULA_SIGNS


def write_csv(rows: Iterable[Mapping[str, Any]], *, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield parts of a CSV file in UTF-8, the header first, with a byte order mark before it.

    names: the columns, in order; by default the keys of the first row, and no header without a row
    """
    # Here: pandas takes half a second to import, which only a download should wait for.
    import pandas as pd  # noqa: PLC0415

    remaining, is_first = iter(rows), True
    while (chunk := list(islice(remaining, _CHUNK_ROWS))) or (is_first and names):
        names = names or list(chunk[0])
        cells = [[neutralise(row[name]) for name in names] for row in chunk]
        # As objects: a column of integers with a gap would become one of floats.
        frame = pd.DataFrame(cells, columns=list(names), dtype=object)
        text: str = frame.to_csv(index=False, header=is_first, lineterminator="\r\n")
        yield (_BYTE_ORDER_MARK if is_first else "") + text
        is_first = False


def board_csv(*, board_at: BoardAt, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the parts of a table of `rows` with all visible figures."""
    dicts = (
        row | {name: ", ".join(row[name]) for name in ("models", "canonical_models")}
        for row in export_rows(board_at=board_at, rows=rows)
    )
    return write_csv(dicts, names=[*fields_of(board_at)])


def board_json(*, board_at: BoardAt, rows: Iterable[Row], head: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of a JSON object: the members of `head`, then `rows`, one a line."""
    yield _as_json(head).removesuffix("}") + ', "rows": ['
    separator = "\n"
    for row in export_rows(board_at=board_at, rows=rows):
        yield separator + _as_json(row)
        separator = ",\n"
    yield "\n]}\n"


def chunked(parts: Iterable[str]) -> Iterator[bytes]:
    """Join `parts` into larger chunks of UTF-8: sending one costs as much as making a row."""
    pending, size = [], 0
    for part in parts:
        pending.append(part)
        size += len(part)
        if size >= _CHUNK_SIZE:
            yield "".join(pending).encode()
            pending, size = [], 0
    yield "".join(pending).encode()


def _as_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def file_name(board_at: BoardAt, extension: str) -> str:
    """Return the name of an exported file, with the number of the board's last event."""
    slug, event = board_at.board.slug, board_at.provenance.event
    return f"{slug}-{event}.{extension}" if event else f"{slug}.{extension}"
