"""Read the rows of a table of separated values, one in memory at a time."""

import csv
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any

from wardboard.scoring.reading.codes import DocumentCode, ProblemCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.values import TASK_ID
from wardboard.scoring.reading.limits import size
from wardboard.scoring.reading.messages import phrase, phrase_n
from wardboard.scoring.reading.problems import quote

# Cells without a value. Source: FHIR-AgentBench evaluator; pandas writes the first two.
NULLS = frozenset(("", "nan", "NaN", "None", "N/A"))
_IN_QUOTES = phrase("Write the table with a CSV library, which puts commas and line breaks in quotes.")
_UNNAMED = ("", "Unnamed: 0")  # the index that pandas writes
_MOST_COLUMNS = 1000
_COMMAS_PER_VALUE = 4  # commas of a row for each value that a record may hold

# The csv module's own limit holds for the whole process; the lines given to it are limited here.
csv.field_size_limit(2**31 - 1)


def column_names(line: str) -> list[str]:
    """Return the column names in the first line of a table, [] if it is not one."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


class _Lines:
    """The lines, with line ends, of a text that comes in pieces; the size of a row is limited."""

    def __init__(self, pieces: Iterator[str], findings: Findings, delimiter: str) -> None:
        self._pieces, self._findings, self._delimiter = pieces, findings, delimiter
        self.number = 0  # of the last line yielded
        self._row = self._commas = 0

    def begin_row(self) -> None:
        self._row = self._commas = 0

    def __iter__(self) -> Iterator[str]:
        parts: list[str] = []
        length = 0
        for piece in self._pieces:
            *whole, last = piece.split("\n")
            for line in whole:
                yield self._count("".join([*parts, line, "\n"]))
                parts, length = [], 0
            parts.append(last)
            length += len(last)
            self._check(self._row + length)
        if length:
            yield self._count("".join(parts))

    def _count(self, line: str) -> str:
        self.number += 1
        # A character takes at least one byte, which is close enough.
        self._row += len(line)
        self._check(self._row)
        # Each may begin a cell, for which the csv reader creates an object; those within quotes count too.
        self._commas += line.count(self._delimiter)
        if self._commas > _COMMAS_PER_VALUE * self._findings.limits.containers:
            message = phrase(
                "the row that ends on line {line:,} or later holds too many commas; the rest was not read",
                line=self.number,
            )
            raise Unreadable(DocumentCode.TOO_COMPLEX, message, line=self.number)
        return line

    def _check(self, length: int) -> None:
        limit = self._findings.limits.record_bytes
        if length > limit:
            line = self.number + 1
            message = phrase(
                "the row that ends on line {line:,} or later is larger than {limit}; the rest was not read",
                line=line,
                limit=size(limit),
            )
            raise Unreadable(DocumentCode.RECORD_TOO_LARGE, message, line=line)


def rows(
    pieces: Iterator[str],
    findings: Findings,
    code: ProblemCode,
    delimiter: str = ",",
    check_names: Callable[[list[str]], object] = list,
    *,
    nulls: Collection[str] = NULLS,
) -> Iterator[tuple[Findings, dict[str, Any]]]:
    """Yield each row as {column: cell}, None for an empty cell, with the findings at its place.

    code: of the problems of a broken table. check_names: raises Unreadable for names that are none of records
    nulls: what cells without a value hold
    """
    lines = _Lines(pieces, findings, delimiter)
    reader = csv.reader(lines, strict=True, delimiter=delimiter)
    skipped = 0
    try:
        names = next(reader, [])
        _check_names(names, code)
        check_names(names)
        while True:
            lines.begin_row()
            line = lines.number + 1
            cells = next(reader, None)
            if cells is None:
                return
            here = findings.on_line(line)
            if len(cells) == len(names):
                row = _row(names, cells, nulls)
                del cells
                yield here, row
                del row
            elif cells:
                message = phrase_n(
                    "the row has {n:,} cell; there are {columns} columns",
                    "the row has {n:,} cells; there are {columns} columns",
                    len(cells),
                    columns=len(names),
                )
                here.problem(code, (), message, _IN_QUOTES)
                skipped += 1
            else:
                skipped += 1
            # A hostile file can have one row per byte.
            if skipped > findings.limits.results:
                message = phrase("most rows are empty or of another length")
                raise Unreadable(code, message, line=line)
    except csv.Error as error:
        message = phrase("line {line:,}: {trouble}", line=lines.number, trouble=str(error))
        raise Unreadable(code, message, line=lines.number) from None


def _row(names: list[str], cells: list[str], nulls: Collection[str]) -> dict[str, Any]:
    row: dict[str, Any] = dict(zip(names, cells, strict=True))
    for name in _UNNAMED:
        if not TASK_ID.fullmatch(row.get(name, "")):
            row.pop(name, None)
    for name, cell in row.items():
        if cell in nulls:
            row[name] = None
    return row


def _check_names(names: list[str], code: ProblemCode) -> None:
    if len(names) > _MOST_COLUMNS:
        message = phrase("there are more than {limit:,} columns", limit=_MOST_COLUMNS)
        raise Unreadable(code, message, line=1)
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        message = phrase("there are several columns `{name}`", name=quote(repeated[0]))
        raise Unreadable(code, message, hint=phrase("Keep one of them."), line=1)
