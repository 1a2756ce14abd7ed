"""The rows of a CSV table with the columns of the runner's records, one in memory at a time."""

import csv
from collections import Counter
from collections.abc import Iterator
from functools import reduce
from typing import Any

from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.reading.codes import DocumentCode
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.documents import size
from scoring.reading.messages import say, say_n
from scoring.reading.problems import quote

REQUIRED = ("question_id", "agent_answer", "agent_fhir_resources")
# What a cell without a value holds. Source: FHIR-AgentBench, its evaluator; pandas writes the first two.
NULLS = frozenset(("", "nan", "NaN", "None", "N/A"))
_UNNAMED = ("", "Unnamed: 0")  # the index that pandas writes
_NAMED = 5
_COLUMNS = 1000
_CELLS = 4  # times the number of values that a record may hold
# What the reader of the standard library says of broken text, as far as it is known here; by the text.
_READER_SAYS: dict[str, str] = {
    text: text for text in (say("',' expected after '\"'"), say("unexpected end of data"))
}

# The module's own limit is one for the whole process. The lines that it is given are limited here.
csv.field_size_limit(2**31 - 1)


def names_of(line: str) -> list[str]:
    """Return the names of the columns in the first line of a table, [] where it is none."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


class Lines:
    """The lines of a text that comes in pieces, with their ends; limits what one row may take."""

    def __init__(self, pieces: Iterator[str], findings: Findings) -> None:
        self._pieces, self._findings = pieces, findings
        self.number = 0  # of the line given last
        self.open_ended = False  # the last line has no line end
        self._row = self._commas = 0

    def begin_row(self) -> None:
        self._row = self._commas = 0

    def __iter__(self) -> Iterator[str]:
        rest: list[str] = []
        held = 0
        for piece in self._pieces:
            *whole, last = piece.split("\n")
            for line in whole:
                yield self._given("".join([*rest, line, "\n"]))
                rest, held = [], 0
            rest.append(last)
            held += len(last)
            self._check(self._row + held)
        if held:
            self.open_ended = True
            yield self._given("".join(rest))

    def _given(self, line: str) -> str:
        self.number += 1
        # A character is a byte at least; its exact size matters to nobody here.
        self._row += len(line)
        self._check(self._row)
        # Each may be a cell, for which the reader makes an object; those within quotes are not told apart.
        self._commas += line.count(",")
        if self._commas > _CELLS * self._findings.limits.containers:
            message = say(
                "the row that ends on line {line:,} or later holds too many commas; what follows was not "
                "read",
                line=self.number,
            )
            raise Unreadable(DocumentCode.TOO_MANY_VALUES, message, line=self.number)
        return line

    def _check(self, length: int) -> None:
        limit = self._findings.limits.record_bytes
        if length > limit:
            line = self.number + 1
            message = say(
                "the row that ends on line {line:,} or later is larger than {limit}; what follows was not "
                "read",
                line=line,
                limit=size(limit),
            )
            raise Unreadable(FhirCode.TOO_LARGE, message, line=line)


def rows(lines: Lines, findings: Findings) -> Iterator[tuple[Findings, dict[str, Any]]]:
    """Yield each row by the names of its columns, None for null, with the findings at its place.

    Raises Unreadable for what is no table of records.
    """
    reader = csv.reader(lines, strict=True)
    passed_over = 0
    try:
        names = next(reader, [])
        _check_names(names, findings)
        while True:
            lines.begin_row()
            line = lines.number + 1
            cells = next(reader, None)
            if cells is None:
                return
            here = findings.on_line(line)
            if len(cells) == len(names):
                row = _row(names, cells)
                del cells
                yield here, row
                del row
            elif cells:
                message = say_n(
                    "the row has {n:,} cell; there are {columns} columns",
                    "the row has {n:,} cells; there are {columns} columns",
                    len(cells),
                    columns=len(names),
                )
                here.problem(FhirCode.ROW_LENGTH, (), message)
                passed_over += 1
            else:
                passed_over += 1
            # A hostile file can have a row for every byte.
            if passed_over > findings.limits.results:
                message = say("most rows are empty or of another length")
                raise Unreadable(FhirCode.TABLE_BROKEN, message, line=line)
    except csv.Error as error:
        trouble = _READER_SAYS.get(str(error), str(error))
        message = say("line {line:,}: {trouble}", line=lines.number, trouble=trouble)
        raise Unreadable(FhirCode.TABLE_BROKEN, message, line=lines.number) from None


def _row(names: list[str], cells: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = dict(zip(names, cells, strict=True))
    for name in _UNNAMED:
        row.pop(name, None)
    for name, cell in row.items():
        if cell in NULLS:
            row[name] = None
    return row


def _check_names(names: list[str], findings: Findings) -> None:
    if len(names) > _COLUMNS:
        message = say("there are more than {limit:,} columns", limit=_COLUMNS)
        raise Unreadable(FhirCode.TABLE_BROKEN, message, line=1)
    if missing := [name for name in REQUIRED if name not in names]:
        shown = ", ".join(f"“{quote(name)}”" for name in names[:_NAMED])
        message = say(
            "there is no column {missing}; there are {names}",
            missing=reduce(_and_no, (f"`{name}`" for name in missing)),
            names=shown + (", …" if len(names) > _NAMED else ""),
        )
        raise Unreadable(FhirCode.COLUMNS_MISSING, message, line=1)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        message = say("there are several columns `{name}`", name=quote(twice[0]))
        raise Unreadable(FhirCode.TABLE_BROKEN, message, hint=say("Keep one of them."), line=1)


def _and_no(first: str, rest: str) -> str:
    return say("{first} and no column {rest}", first=first, rest=rest)
