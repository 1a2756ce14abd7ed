"""Remarks on a file, each with a code, a place, a message and a fix."""

from collections.abc import Iterable
from dataclasses import dataclass, field

_QUOTED = 80
_POINTED = 2000  # characters of a pointer


def quote(value: object) -> str:
    """Return `value` ready for a message: one line, printable, at most 80 characters.

    Lone surrogates and control characters, which neither a database column nor a UTF-8 response can
    hold, are escaped.
    """
    text = value if isinstance(value, str) else repr(value)
    # Cut first: escaping a megabyte to show eighty characters of it would be wasted work.
    excerpt = _printable(text[:_QUOTED])
    return excerpt if len(text) <= _QUOTED else excerpt[:_QUOTED] + "…"


def pointer(*steps: str | int) -> str:
    """Return the JSON Pointer of the path `steps` from the root ("" for the root itself).

    No key is cut: a path that is too long to show ends at the last place that can be named whole.
    Source: RFC 6901, sections 3 and 5.
    """
    whole = ""
    for step in steps:
        text = str(step)
        # A hostile key can have megabytes, and hundreds of remarks can be below it.
        if len(whole) + len(text) > _POINTED:
            break
        whole += "/" + _printable(text).replace("~", "~0").replace("/", "~1")
    return whole


def counted(number: int, noun: str) -> str:
    """Return the number with its noun: `1 problem`, `2,000 problems`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _printable(text: str) -> str:
    # Most texts are, and a hostile file has millions of them.
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A remark about a submitted file.

    - code: stable, dotted, for programs, such as `answer.not-a-string`
    - pointer: JSON Pointer (RFC 6901) of the place; "" is the whole document
    - line: line in the file, from 1, if the file is read line by line or could not be parsed
    - message: the fact; hint: the fix. Both are usually a scoring.reading.messages.Phrase
    - run, file: in a submission of several runs, the number of the run, from 1, and the name of its file
    """

    code: str
    pointer: str
    message: str
    hint: str
    line: int | None = None
    run: int | None = None
    file: str = ""

    def as_dict(self) -> dict[str, str | int | None]:
        fields: dict[str, str | int | None] = {
            "code": self.code,
            "pointer": self.pointer,
            "line": self.line,
            "message": self.message,
            "hint": self.hint,
        }
        return fields if self.run is None else {**fields, "run": self.run, "file": self.file}


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
