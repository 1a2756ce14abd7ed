"""Collect remarks while a file is read."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, NoReturn

from wardboard.scoring.reading.codes import DocumentCode, ProblemCode
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid, pointer, quote
from wardboard.scoring.reading.reports.fixes import Fix

Steps = Sequence[str | int]


class Remark(NamedTuple):
    """What a problem says. hint: None for that of the code. fix: None where it takes thought."""

    code: ProblemCode
    message: Phrase
    hint: Phrase | None = None
    fix: Fix | None = None


class Unreadable(Exception):
    """A text, or part of it, cannot be read as JSON: `problem` says why."""

    def __init__(
        self,
        code: ProblemCode,
        message: Phrase,
        hint: Phrase | None = None,
        *,
        line: int | None = None,
        column: int | None = None,
        steps: Steps = (),
    ) -> None:
        super().__init__(message)
        self.problem = make_problem(code, steps, message, hint=hint, line=line, column=column)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The remarks on one file, and the current place in it.

    Adding a remark can end the reading, with SubmissionInvalid: after too many problems, or too long a time.

    - ends: when the time for reading is up, by `monotonic`
    - line: the current line, in a file read line by line
    - base: path from the root, which the `steps` of a remark continue
    - task: the one that the place is about, where the format of the file does not show it
    - renamed: first steps that the file does not have -> the steps in their place; none for a value that was
      put under a step
    """

    limits: Limits
    problems: Remarks
    warnings: Remarks
    ends: float
    line: int | None = None
    task: str = ""
    base: tuple[str | int, ...] = ()
    renamed: Mapping[str | int, Steps] = field(default_factory=dict)

    @classmethod
    def under(cls, limits: Limits) -> "Findings":
        return cls(
            limits=limits,
            problems=Remarks(keep=limits.listed),
            warnings=Remarks(keep=limits.listed),
            ends=time.monotonic() + limits.seconds,
        )

    def discarded(self) -> "Findings":
        """Return findings of their own that nobody reads, with the same time left."""
        empty = Remarks(keep=self.limits.listed)
        return replace(self, problems=empty, warnings=Remarks(keep=self.limits.listed))

    def on_line(self, line: int) -> "Findings":
        """Return these findings, shared, at the root of another line."""
        return replace(self, line=line, base=(), renamed={})

    def at(self, *steps: str | int) -> "Findings":
        """Return these findings, shared, further down the path."""
        # It is called for each value of a file, and `replace` takes twice as long.
        return Findings(
            limits=self.limits,
            problems=self.problems,
            warnings=self.warnings,
            ends=self.ends,
            line=self.line,
            task=self.task,
            base=self._path(steps),
        )

    def of_task(self, task: str) -> "Findings":
        """Return these findings, shared, for a part of the file that is about a task."""
        return replace(self, task=task)

    def renaming(self, steps: Mapping[str | int, Steps]) -> "Findings":
        """Return these findings, shared, for a value whose keys are not those of the file."""
        return replace(self, renamed=steps)

    def _path(self, steps: Steps) -> tuple[str | int, ...]:
        if steps and steps[0] in self.renamed:
            steps = (*self.renamed[steps[0]], *steps[1:])
        return (*self.base, *steps)

    def problem(
        self,
        code: ProblemCode,
        steps: Steps,
        message: Phrase,
        hint: Phrase | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Add a problem, which prevents scoring. hint: by default that of the code."""
        self._add(self.problems, steps, Remark(code, message, hint, fix))
        self._check_count(code)

    def add_problem(self, problem: Problem) -> None:
        """Add a problem that is there already, such as that of an Unreadable."""
        self.problems.add(problem)
        self.check_time()
        self._check_count(problem.code)

    def warning(
        self,
        code: ProblemCode,
        steps: Steps,
        message: Phrase,
        hint: Phrase | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Add a warning: the file can be scored, but the sender should know."""
        self._add(self.warnings, steps, Remark(code, message, hint, fix))

    def warning_first(
        self,
        code: ProblemCode,
        steps: Steps,
        message: Phrase,
        *,
        line: int | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Add a warning about the whole file, which is listed however many others there are."""
        self.warnings.add_first(make_problem(code, steps, message, line=line, fix=fix))

    def problem_first(self, problem: Problem) -> None:
        """Add the problem that ended the reading, which is listed however many others there are."""
        self.problems.add_first(problem)

    def check_time(self) -> None:
        """Raise SubmissionInvalid if the time for reading the file is up.

        All code that walks through the values of a file calls it now and then, even within one large value.
        """
        if time.monotonic() > self.ends:
            message = phrase(
                "reading the file took longer than {limit} seconds; the rest was not read",
                limit=f"{self.limits.seconds:,g}",
            )
            self.end(DocumentCode.TOO_SLOW, message)

    def _check_count(self, code: str) -> None:
        limit = self.limits.problems
        if self.problems.total > limit:
            # The last problem takes the place of the one beyond the limit.
            self.problems.count(code, -1)
            message = phrase("there are more than {limit:,} errors; the rest was not read", limit=limit)
            self.end(DocumentCode.TOO_MANY_PROBLEMS, message)

    def end(self, code: ProblemCode, message: Phrase) -> NoReturn:
        """Raise SubmissionInvalid, with this problem first, for what can or must not be read on."""
        self.problem_first(make_problem(code, (), message))
        raise SubmissionInvalid(self.problems, self.warnings)

    def raise_if_invalid(self) -> None:
        """Raise SubmissionInvalid if there is a problem."""
        if self.problems:
            raise SubmissionInvalid(self.problems, self.warnings)

    def _add(self, remarks: Remarks, steps: Steps, remark: Remark) -> None:
        self.check_time()
        # A hostile file can cause millions of remarks: those that are not listed are only counted.
        if remarks.wants(remark.code):
            code, message, hint, fix = remark
            problem = make_problem(code, self._path(steps), message, hint=hint, line=self.line, fix=fix)
            remarks.add(replace(problem, task=quote(self.task)) if self.task else problem)
        else:
            remarks.count(remark.code)


def make_problem(
    code: ProblemCode,
    steps: Steps,
    message: Phrase,
    *,
    hint: Phrase | None = None,
    line: int | None = None,
    column: int | None = None,
    fix: Fix | None = None,
) -> Problem:
    """Return a remark at the end of the path `steps`; its hint is the code's fix unless given."""
    return Problem(
        code=code.value,
        pointer=pointer(*steps),
        message=message,
        hint=hint or code.fix,
        line=line,
        column=column,
        fix=fix,
    )
