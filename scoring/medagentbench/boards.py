"""The leaderboards of MedAgentBench, published and demonstration, and their import."""

import argparse
import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from wardboard.scoring.fhir import FhirSource, FhirUnavailable, RecordedFhir, RecordingInvalid
from wardboard.scoring.ground_truth import (
    BoardPlan,
    GroundTruth,
    GroundTruthInvalid,
    PlannedBoards,
    ReferenceFile,
    add_board_arguments,
    check_slug,
    read_file,
    refuse,
)
from wardboard.scoring.medagentbench import demo
from wardboard.scoring.medagentbench.grading.build_references import (
    TasksInvalid,
    build_references,
    check_tasks,
)
from wardboard.scoring.medagentbench.grading.references import Reference
from wardboard.scoring.medagentbench.grading.task_codes import TaskCode
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED, are_published, texts_of_tasks
from wardboard.scoring.reading.codes import ReferenceCode
from wardboard.scoring.reading.collector import make_problem
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import Problem

if TYPE_CHECKING:
    from wardboard.scoring.fhir import FhirServer

BOARDS = msgspec.json.decode(Path(__file__).with_name("boards.json").read_bytes(), type=PlannedBoards)
# Published version -> its leaderboard. No title says "v2": the literature calls another benchmark that.
_BOARDS = {plan.version: plan for plan in BOARDS.published}
PUBLISHED_VERSIONS = BOARDS.published
PUBLISHED_BOARD = _BOARDS["v2"]
DEMONSTRATION = BOARDS.demonstrate(
    demo.FOLDER,
    lambda: build_references(json.loads(demo.TASKS.read_bytes()), RecordedFhir(demo.RECORDING)),
    lambda: texts_of_tasks(json.loads(demo.TASKS.read_bytes())),
)


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tasks", required=True, type=Path, metavar="FILE", help="the task file")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--fhir-server", metavar="URL", help="a FHIR R4 server that holds the patients")
    source.add_argument("--fhir-recording", type=Path, metavar="FILE", help="what record_fhir wrote")
    parser.add_argument(
        "--all-pages",
        action="store_true",
        help="read all pages of a search; the official grader reads the first alone, and so does the import",
    )
    add_board_arguments(parser)


def read_ground_truth(options: Mapping[str, Any]) -> GroundTruth:
    """Build the reference of every task of a task file. Raises GroundTruthInvalid with all problems."""
    tasks, source, origin = read_sources(options)
    board, references = _board(tasks, options), build(tasks, source)
    notes, paged = [], ""
    if source.paged:
        paged = f"; first page of {len(source.paged)} searches"
        note = (
            f"{len(source.paged)} of the searches have more pages, such as {source.paged[0]}. As the "
            "official grader does, only the first page of each was read. To read all: --all-pages"
        )
        notes = [note]
    return GroundTruth(
        board=board,
        references=references,
        origin=f"{origin}{paged}",
        notes=notes,
        texts=texts_of_tasks(tasks),
    )


def read_sources(options: Mapping[str, Any]) -> "tuple[Any, FhirServer | RecordedFhir, str]":
    """Return the tasks, the source of their patients, and the origin of both in a line.

    Raises GroundTruthInvalid with all problems.
    """
    file: ReferenceFile = options["tasks"]
    problems: list[Problem] = []
    try:
        tasks, digest = _read_tasks(file)
    except GroundTruthInvalid as error:
        problems += error.problems
    try:
        source, origin = _source(options)
    except GroundTruthInvalid as error:
        problems += error.problems
    if problems:
        raise GroundTruthInvalid(problems)
    return tasks, source, f"tasks {file.name} sha256 {digest[:12]}; {origin}"


def _read_tasks(file: ReferenceFile) -> tuple[Any, str]:
    raw = read_file(file)
    try:
        tasks = json.loads(raw)
        check_tasks(tasks)
    except TasksInvalid as error:
        raise GroundTruthInvalid([replace(problem, file=file.name) for problem in error.problems]) from error
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise refuse(TaskCode.NOT_TASKS, phrase("the file is not JSON"), file=file.name, line=line) from error
    return tasks, hashlib.sha256(raw).hexdigest()


def _board(tasks: Any, options: Mapping[str, Any]) -> BoardPlan:
    ids = [task["id"] for task in tasks]
    published = next((version for version in PUBLISHED if are_published(version, ids)), None)
    slug = options["slug"] or (_BOARDS[published].slug if published else None)
    if slug is None:
        raise refuse(
            ReferenceCode.BOARD,
            phrase("these are not the tasks of a published version"),
            hint=phrase("Name the leaderboard with `--slug`."),
        )
    check_slug(slug)
    stated = next((version for version, board in _BOARDS.items() if board.slug == slug), None)
    stated = stated or slug.removeprefix("medagentbench-")
    if stated in PUBLISHED and stated != published:
        raise refuse(
            ReferenceCode.BOARD,
            phrase(
                "these are not the tasks of {title} (test_data_{version})",
                title=_BOARDS[stated].title,
                version=stated,
            ),
        )
    version = options["board_version"] or stated
    plan = _BOARDS.get(version)
    return BoardPlan(
        slug=slug,
        version=version,
        title=plan.title if plan else f"MedAgentBench {version}",
        question=BOARDS.question.format(count=f"{len(ids):,}"),
        position=plan.position if plan else 100,
    )


def _source(options: Mapping[str, Any]) -> "tuple[FhirServer | RecordedFhir, str]":
    """Return the source of the patients, and its description for the origin of the revision."""
    if options.get("fhir_server"):
        # Import it here: it imports urllib3, for which no command on files has to wait.
        from wardboard.scoring.fhir import FhirServer  # noqa: PLC0415

        try:
            server = FhirServer(options["fhir_server"], all_pages=bool(options.get("all_pages")))
        except ValueError as error:
            raise refuse(
                TaskCode.SERVER, phrase("the address is not usable: {why}", why=str(error))
            ) from error
        return server, f"FHIR server {server.base_url}"
    file: ReferenceFile = options["fhir_recording"]
    try:
        # Read first: a file that is missing is refused in words.
        digest = hashlib.sha256(read_file(file)).hexdigest()
        return RecordedFhir(
            file, all_pages=bool(options.get("all_pages"))
        ), f"recording {file.name} sha256 {digest[:12]}"
    except RecordingInvalid as error:
        # A file of another kind: what is wrong with its further lines says nothing more.
        faults = error.faults[:1] if error.faults[0][0] == 1 else error.faults
        problems = (make_problem(TaskCode.RECORDING, (), text, line=line) for line, text in faults)
        raise GroundTruthInvalid([replace(problem, file=file.name) for problem in problems]) from error


def build(tasks: Any, source: FhirSource) -> Mapping[str, Reference]:
    """Return the reference of each task, usable or not. Raises GroundTruthInvalid where the server fails."""
    try:
        return build_references(tasks, source)
    except FhirUnavailable as error:
        message = phrase("FHIR query {query}: {why}", query=error.query, why=error.why)
        raise refuse(TaskCode.SERVER, message) from error
