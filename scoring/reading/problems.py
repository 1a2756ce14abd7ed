"""Remarks on a file, each with a code, a place, a message and a fix."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from wardboard.scoring.reading.reports.fixes import Fix

_QUOTED = 80
_NAMED = 5
_POINTED = 2000  # characters of a pointer
# Within a line so short, people find the place without its column.
NEAR_COLUMN = 120
# Signs of ASCII and what is not ASCII after them, at most so much: no letter is composed with what follows,
# and sorting marks takes the square of their number on a letter.
_PIECE = re.compile(r"[\0-\x7f]*[^\0-\x7f]{0,500}")
# Remarks of each code that are listed, however many others there are, and that reports show open.
FIRST_OF_A_CODE = 3


def quote(value: object) -> str:
    """Return `value` ready for a message: one line, printable, at most 80 characters.

    Lone surrogates and control characters, which neither a database column nor a UTF-8 response can
    hold, are escaped.
    """
    text = value if isinstance(value, str) else repr(value)
    # Cut first: escaping a megabyte to show eighty characters of it would be wasted work.
    excerpt = printable(text[:_QUOTED])
    return excerpt if len(text) <= _QUOTED else excerpt[:_QUOTED] + "…"


def pointer(*steps: str | int) -> str:
    """Return the JSON Pointer of the path `steps` from the root ("" for the root itself).

    No key is cut: a path that is too long to show ends at the last place that can be named whole.
    Source: RFC 6901, sections 3 and 5.
    """
    text_so_far = ""
    for step in steps:
        text = str(step)
        # A hostile key can have megabytes, and hundreds of remarks can be below it.
        if len(text_so_far) + len(text) > _POINTED:
            break
        text_so_far += "/" + printable(text).replace("~", "~0").replace("/", "~1")
    return text_so_far


def quoted_list(names: Sequence[str]) -> str:
    """Return the first five names for a message: `“a.json”, “b.json”`."""
    quoted = ", ".join(f"“{quote(name)}”" for name in names[:_NAMED])
    return quoted + (", …" if len(names) > _NAMED else "")


def counted(number: int, noun: str) -> str:
    """Return the number with its noun: `1 problem`, `2,000 problems`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def printable(text: str) -> str:
    """Return `text` with each control character, lone surrogate and invisible character escaped."""
    # Most texts are printable, and a hostile file has millions of them.
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def nfkc(text: str) -> str:
    """Return `text` in Unicode's form NFKC, in time that grows with its length."""
    return "".join(unicodedata.normalize("NFKC", piece) for piece in _PIECE.findall(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedLine:
    """A line of the file, by its number from 1: printable, and cut around a place if it is long."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSystem:
    """A system among several in one file. select: the selection of it alone; "" where none is."""

    name: str
    select: str
    files: int
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A remark about a submitted file.

    - code: stable, dotted, for programs, such as `answer.not-a-string`
    - pointer: JSON Pointer (RFC 6901) of the place; "" is the whole document
    - line, column: in the file, from 1, where they are known
    - message: the fact; hint: the fix. Both are usually a wardboard.scoring.reading.messages.Phrase
    - run, file: in a submission of several runs, the number of the run, from 1, and the name of its file
    - record: number of the result in the file's list of them, from 1, where it is known
    - task: the task id that this result states, as `quote` returns it
    - quoted: the line of the place, if it is known
    - fix: what to remove and what to insert, where that needs no thought
    - systems: those of which one has to be chosen
    """

    code: str
    pointer: str
    message: str
    hint: str
    line: int | None = None
    run: int | None = None
    file: str = ""
    column: int | None = None
    record: int | None = None
    task: str = ""
    quoted: tuple[QuotedLine, ...] = ()
    fix: Fix | None = None
    systems: tuple[FoundSystem, ...] = ()

    @property
    def where(self) -> str:
        """The place as people look for it, such as `result 9, task2_5, line 31`; "" for the whole file."""
        parts = [
            f"result {self.record:,}" if self.record else "",
            self.task,
            f"line {self.line:,}" if self.line else "",
            f"column {self.column:,}" if self.column and self.column > NEAR_COLUMN else "",
        ]
        return ", ".join(part for part in parts if part)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for programs; those after `hint` only where they are known."""
        fields: dict[str, Any] = {
            "code": self.code,
            "pointer": self.pointer,
            "line": self.line,
            "message": self.message,
            "hint": self.hint,
        }
        if self.run is not None:
            fields |= {"run": self.run, "file": self.file}
        position = {"where": self.where, "column": self.column, "record": self.record, "task": self.task}
        fields |= {name: value for name, value in position.items() if value}
        if self.quoted:
            fields["quoted"] = [asdict(line) for line in self.quoted]
        if self.fix:
            fields["fix"] = asdict(self.fix)
        return fields


@dataclass(slots=True)
class Remarks:
    """A list of remarks that keeps `keep` of them, the first of each code among them, and counts all."""

    keep: int = 200
    listed: list[Problem] = field(default_factory=list)
    total: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.counts = self.counts or Counter(problem.code for problem in self.listed)

    def add(self, problem: Problem) -> None:
        if self.wants(problem.code):
            self._make_room()
            self.listed.append(problem)
            del self.listed[self.keep :]
        self.count(problem.code)

    def add_first(self, problem: Problem) -> None:
        """Add a remark that is listed before all others, however many there are."""
        self._make_room()
        self.listed.insert(0, problem)
        del self.listed[self.keep :]
        self.count(problem.code)

    def count(self, code: str, number: int = 1) -> None:
        """Count remarks that are not listed; take them away again if the number is negative."""
        self.total += number
        self.counts[code] += number
        if not self.counts[code]:
            del self.counts[code]

    def remove(self, code: str) -> None:
        self.listed = [problem for problem in self.listed if problem.code != code]
        self.count(code, -self.counts[code])

    @property
    def systems(self) -> tuple[FoundSystem, ...]:
        """Those of which one has to be chosen; () where nothing has to be."""
        return next((problem.systems for problem in self.listed if problem.systems), ())

    def wants(self, code: str) -> bool:
        """Return whether one more remark with this code would be listed."""
        return len(self.listed) < self.keep or self.counts[code] < FIRST_OF_A_CODE

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.add(problem)

    def absorb(self, more: "Remarks", change: Callable[[Problem], Problem] = lambda problem: problem) -> None:
        """Add the remarks of another list, each as `change` returns it, and count those it does not list."""
        self.extend(map(change, more.listed))
        for code, number in (more.counts - Counter(problem.code for problem in more.listed)).items():
            self.count(code, number)

    def _make_room(self) -> None:
        """Drop the last remark of the most frequent code, unless that lists few."""
        if len(self.listed) < self.keep:
            return
        codes = [problem.code for problem in self.listed]
        ((code, number),) = Counter(codes).most_common(1) or [("", 0)]
        if number > FIRST_OF_A_CODE:
            del self.listed[len(codes) - 1 - codes[::-1].index(code)]

    def __bool__(self) -> bool:
        return self.total > 0


class SubmissionInvalid(Exception):
    """The file cannot be scored: `problems` lists every reason, `warnings` the other remarks."""

    def __init__(self, problems: Remarks, warnings: Remarks | None = None) -> None:
        super().__init__(f"{problems.total} problem(s) in the file")
        self.problems = problems
        self.warnings = warnings or Remarks()

    def __reduce__(self) -> tuple[Any, ...]:
        # Processes pass it on.
        return type(self), (self.problems, self.warnings)
