"""Ground truths as benchmarks read them for an import, and the boards that a benchmark provides."""

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, TypeVar

from wardboard.scoring.reading.codes import ProblemCode, ReferenceCode
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Problem, counted

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_MOST_LISTED = 50  # problems in the text of the exception


class HiddenReference(Protocol):
    """The reference of one task. Only the benchmark that made it looks at more than this."""

    @property
    def unusable(self) -> str | None:
        """Why no answer to the task can be graded; None if one can."""


class ReferenceFile(Protocol):
    """A file of an import: a Path, or one that was uploaded."""

    @property
    def name(self) -> str: ...

    def read_bytes(self) -> bytes: ...

    def open(self, mode: Literal["rb"], /) -> BinaryIO: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFile:
    """A file that an import in a browser asks for.

    option: its name among the options of `read_ground_truth`. label: what it is
    """

    option: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChoice:
    """A choice that an import in a browser offers.

    option: its name among the options of `read_ground_truth`, of a value that is true or false
    label: what it does; explains: what follows from it
    """

    option: str
    label: str
    explains: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPlan:
    """A board as a benchmark opens it.

    - version: what a file of the board states as its version
    - question: what it asks of a system, in a sentence or two
    - position: among all boards, the smallest first
    - keep_originals: keep files as uploaded, with what is never graded
    """

    slug: str
    version: str
    title: str
    question: str
    position: int = 100
    keep_originals: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundTruth:
    """The references of a board, and where they are from.

    - references: task id -> reference, in the order of the tasks
    - origin: source and digest, in a line
    - notes: lines to print after the import
    - texts: task id -> what the task asks for, by which logs without ids name it; {} where it is not known
    """

    board: BoardPlan
    references: Mapping[str, HiddenReference]
    origin: str
    notes: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """A board for trying Wardboard: everything about it is invented and public.

    - examples: files, each with the facts about its system as a request states them
    - to_upload: files to try an upload with, the most interesting first
    - texts: returns the texts of the tasks, as a GroundTruth has them
    """

    board: BoardPlan
    references: Callable[[], Mapping[str, HiddenReference]]
    examples: Sequence[tuple[Path, Mapping[str, str]]]
    to_upload: Sequence[Path]
    texts: Callable[[], Mapping[str, str]] = dict


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBoards:
    """The boards of a benchmark, as the file boards.json in its folder states them.

    - question: with {count} for the number of tasks, for imports of other tasks
    - published: with published results or tasks
    - examples: file in the folder `demo` -> the facts about its system as a request states them
    - to_upload: files there to try an upload with, the most interesting first
    """

    question: str
    published: tuple[BoardPlan, ...]
    demonstration: BoardPlan
    examples: dict[str, dict[str, str]]
    to_upload: tuple[str, ...]

    def demonstrate(
        self,
        folder: Path,
        references: Callable[[], Mapping[str, HiddenReference]],
        texts: Callable[[], Mapping[str, str]] = dict,
    ) -> Demonstration:
        """Return the demonstration. folder: of its files; references, texts: as a Demonstration has them."""
        return Demonstration(
            board=self.demonstration,
            references=references,
            examples=[(folder / name, facts) for name, facts in self.examples.items()],
            to_upload=[folder / name for name in self.to_upload],
            texts=texts,
        )


class GroundTruthInvalid(Exception):
    """The ground truth cannot be imported.

    problems: every reason, each with the name of its file, if it is of one. None quotes anything hidden.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        lines = list(map(_line, problems[:_MOST_LISTED]))
        if more := len(problems) - len(lines):
            lines.append(f"and {counted(more, 'more problem')}")
        super().__init__("\n  ".join(["The reference answers cannot be used; nothing was imported.", *lines]))
        self.problems = tuple(problems)


def refuse(
    code: ProblemCode, message: Phrase, *, file: str = "", line: int | None = None, hint: Phrase | None = None
) -> GroundTruthInvalid:
    """Return an exception with one problem. file: its name; hint: where that of the code does not fit."""
    return GroundTruthInvalid(
        [Problem(code=code, pointer="", line=line, message=message, hint=hint or code.fix, file=file)]
    )


def _line(problem: Problem) -> str:
    """Return a problem as a line for people who have its file before them."""
    places = (problem.file, f"line {problem.line:,}" if problem.line else "", problem.pointer, problem.task)
    where = ", ".join(place for place in places if place)
    message = f"{where}: {problem.message}" if where else problem.message
    return f"{message} ({problem.code}). {problem.hint}"


def add_board_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --slug and --board-version."""
    parser.add_argument("--slug", help="the leaderboard, unless the files are those of a published one")
    parser.add_argument("--board-version", help="what a file of this leaderboard says as its version")


def check_slug(slug: str) -> None:
    """Raise GroundTruthInvalid for a slug that no address can contain."""
    if not _SLUG.fullmatch(slug):
        raise refuse(
            ReferenceCode.BOARD,
            phrase("an address cannot contain the name “{slug}”", slug=slug),
            hint=phrase("Name it in small letters, digits and hyphens (`--slug`), at most 60 of them."),
        )


def read_file(file: ReferenceFile) -> bytes:
    """Return the bytes of a file of an import. Raises GroundTruthInvalid."""
    try:
        return file.read_bytes()
    except OSError as error:
        message = phrase("the file cannot be read: {why}", why=error.strerror or type(error).__name__)
        raise refuse(ReferenceCode.UNREADABLE, message, file=file.name) from error


def dump_rows(references: Mapping[str, "DataclassInstance"], format_name: str) -> bytes:
    """Serialise `references` as ASCII JSON, in their order; equal content gives equal bytes.

    Fields that are None are left out. 7 and 7.0 differ; NaN and Infinity are written as such.
    """
    rows = [
        {part.name: value for part in fields(ref) if (value := getattr(ref, part.name)) is not None}
        for ref in references.values()
    ]
    document = {"format": format_name, "references": rows}
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode("ascii")


def load_rows(
    data: bytes, format_name: str, load: Callable[[dict[str, Any]], R], source: str
) -> dict[str, R]:
    """Return task id -> reference from bytes of `dump_rows`. Raises ValueError for others.

    load: makes a reference of a row. source: what to import again, for the message.
    """
    try:
        document = json.loads(data)
        if document["format"] != format_name:
            raise ValueError
        return {row["task_id"]: load(row) for row in document["references"]}
    except (AttributeError, LookupError, TypeError, ValueError):
        # Leave out the cause, whose text could quote a reference.
        raise ValueError(f"these bytes are no {format_name} dump: import the {source} again") from None


def read_dump(
    options: Mapping[str, Any], load: Callable[[bytes], Mapping[str, HiddenReference]], title: str
) -> GroundTruth:
    """Return the ground truth in a file of dumped references. load, title: of the benchmark.

    Raises GroundTruthInvalid.
    """
    file: ReferenceFile = options["references"]
    raw = read_file(file)
    try:
        references = load(raw)
    except (ValueError, LookupError, TypeError, AttributeError):
        # Leave out the error, whose text could quote a reference.
        message = phrase("the file does not hold dumped reference answers of this benchmark")
        raise refuse(ReferenceCode.UNREADABLE, message, file=file.name) from None
    slug = options["slug"] or ""
    check_slug(slug)
    version = options["board_version"] or "1"
    board = BoardPlan(slug=slug, version=version, title=title, question=f"{len(references):,} tasks.")
    return GroundTruth(board=board, references=references, origin=f"references {file.name}")
