"""Remarks on a file, each with a code, a place, a message and a fix."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_QUOTED = 80
_POINTED = 2000  # characters of a pointer
# Within a line so short, people find the place without its column.
NEAR_COLUMN = 120


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


def counted(number: int, noun: str) -> str:
    """Return the number with its noun: `1 problem`, `2,000 problems`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def printable(text: str) -> str:
    """Return `text` with each control character, lone surrogate and invisible character escaped."""
    # Most texts are printable, and a hostile file has millions of them.
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedLine:
    """A line of the file, by its number from 1: printable, and cut around a place if it is long."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A remark about a submitted file.

    - code: stable, dotted, for programs, such as `answer.not-a-string`
    - pointer: JSON Pointer (RFC 6901) of the place; "" is the whole document
    - line: line in the file, from 1, where it is known
    - column: character in that line, from 1, where it is known
    - message: the fact; hint: the fix. Both are usually a scoring.reading.messages.Phrase
    - run, file: in a submission of several runs, the number of the run, from 1, and the name of its file
    - record: number of the result in the file's list of them, from 1, where it is known
    - task: the task id that this result states, as `quote` returns it
    - quoted: the line of the place, and the one before or after it
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
            fields["quoted"] = [{"number": line.number, "text": line.text} for line in self.quoted]
        return fields


@dataclass(slots=True)
class Remarks:
    """A list of remarks that keeps the first `keep` and counts the rest."""

    keep: int = 200
    listed: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, problem: Problem) -> None:
        self.total += 1
        if len(self.listed) < self.keep:
            self.listed.append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.add(problem)

    def __bool__(self) -> bool:
        return self.total > 0


class SubmissionInvalid(Exception):
    """The file cannot be scored: `problems` lists every reason, `warnings` the other remarks."""

    def __init__(self, problems: Remarks, warnings: Remarks | None = None) -> None:
        super().__init__(f"{problems.total} problem(s) in the file")
        self.problems = problems
        self.warnings = warnings or Remarks()
