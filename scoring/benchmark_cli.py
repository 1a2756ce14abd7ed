"""The part of the `wardboard` command that a benchmark adds."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import click

from wardboard.scoring.ground_truth import BoardPlan, HiddenReference
from wardboard.scoring.reading.streams.text_stream import head_of

OK, INVALID, USAGE, FAULT = 0, 1, 2, 3  # exit codes
PATH = click.Path(path_type=Path)  # a file that the command opens itself, with error messages of its own


class Failure(Exception):
    """The command cannot go on: `code` is the exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The tasks and version that a file is checked against.

    - task_ids: of the board; () if not known
    - version: what the file must state; "" for anything
    - note: a line for standard error, "" for none
    - texts: task id -> its text, where the task file is at hand
    """

    task_ids: Sequence[str] = ()
    version: str = ""
    note: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


class BenchmarkCli:
    """A benchmark's options of `wardboard validate` and `wardboard grade`, and what they mean.

    This class takes dumped references for grading; a benchmark with options of its own inherits from it.
    Every method raises Failure, and nothing else, for problems that the user can fix.

    - options: names of those that only make sense for files of the benchmark
    - commands: of the benchmark's own
    - validate_options: say what `validate` checks a file against; one of all can be given
    - grade_options: say where `grade` finds references; one of all can be given
    - shared_options: of both `validate` and `grade`
    - boards: that the command knows besides those with published results and demonstrations
    """

    options: tuple[str, ...] = ("references",)
    commands: Sequence[click.Command] = ()
    validate_options: Sequence[click.Option] = ()
    grade_options: Sequence[click.Option] = ()
    shared_options: Sequence[click.Option] = ()
    boards: Sequence[BoardPlan] = ()

    def __init__(
        self, load_references: Callable[[bytes], Mapping[str, HiddenReference]], fields: Sequence[str] = ()
    ) -> None:
        self._load, self._fields = load_references, fields

    def recognises(self, file: BinaryIO) -> bool:
        """Return whether `file`, seekable and left at its start, looks like one of the benchmark.

        By default it does if its beginning, or the header of a table, has the names of all `fields`.
        """
        head = head_of(file) if self._fields else ""
        text = head if head[:1] in ("[", "{") else head.partition("\n")[0]
        return bool(text) and all(
            re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in self._fields
        )

    def stated_version(self, file: BinaryIO) -> str:
        """Return the version that `file` states; leave the file at its start."""
        return ""

    def expectation(self, arguments: Mapping[str, Any], file: BinaryIO) -> Expectation:
        """Return what `validate` checks `file` against; leave the file at its start.

        arguments: of the command, by their names in Python.
        """
        return Expectation()

    def texts(self, arguments: Mapping[str, Any]) -> Mapping[str, str]:
        """Return task id -> its text, by which `grade` names tasks in logs without ids; {} if not known."""
        return {}

    def references(self, arguments: Mapping[str, Any]) -> Mapping[str, HiddenReference]:
        """Return the references that `grade` scores with."""
        folder: Path = arguments["references"]
        dump = folder / "references.json"
        if not dump.is_file():
            raise Failure(FAULT, f"{folder} does not hold references.json")
        try:
            return self._load(dump.read_bytes())
        except (OSError, ValueError) as error:
            raise Failure(FAULT, f"{dump}: {error}") from None
