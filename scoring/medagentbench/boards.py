"""The leaderboards of MedAgentBench, published and demonstration, and their import."""

import argparse
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.fhir import FhirError, FhirServer, FhirSource, RecordedFhir
from scoring.ground_truth import (
    BoardPlan,
    Demonstration,
    GroundTruth,
    GroundTruthInvalid,
    ShowProgress,
    add_board_arguments,
    check_slug,
)
from scoring.medagentbench import demo
from scoring.medagentbench.grading.build_references import TasksInvalid, build_references
from scoring.medagentbench.grading.references import Reference
from scoring.medagentbench.reading.tasks import PUBLISHED, published_task_ids

QUESTION = (
    "{count} clinical tasks of ten types over a FHIR server: look up, compute, record, order. "
    "The official graders mark each task correct or wrong against hidden reference answers."
)

# Published version -> its leaderboard. No title says "v2": the literature calls another benchmark that.
_BOARDS = {
    "v2": BoardPlan(
        slug="medagentbench-300",
        version="v2",
        title="MedAgentBench",
        question=QUESTION.format(count=300),
        position=10,
    ),
    "v1": BoardPlan(
        slug="medagentbench-100",
        version="v1",
        title="MedAgentBench pilot",
        question=QUESTION.format(count=100),
        position=20,
    ),
}
# The one with published results.
PUBLISHED_BOARD = _BOARDS["v2"]

DEMONSTRATION = Demonstration(
    board=BoardPlan(
        slug="medagentbench-demo",
        version="demo",
        title="MedAgentBench demo",
        question="50 invented tasks in the style of MedAgentBench, for trying out Wardboard. Patients, "
        "reference answers and examples are public, so its scores say nothing about a system.",
        position=90,
    ),
    references=lambda: build_references(json.loads(demo.TASKS.read_bytes()), RecordedFhir(demo.RECORDING)),
    examples=(
        (
            demo.PERFECT,
            {
                "system": "Example: careful agent",
                "models": "an invented model",
                "interaction": "multi-turn",
                "retrieval": "query-generator",
                "reasoning": "code",
                "open_weights": "yes",
            },
        ),
        (
            demo.MIDDLING,
            {
                "system": "Example: hasty agent",
                "models": "another invented model",
                "interaction": "single-turn",
                "retrieval": "retriever",
                "reasoning": "language",
            },
        ),
    ),
    to_upload=(demo.MIDDLING, demo.PERFECT, demo.MALFORMED),
)


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tasks", required=True, type=Path, metavar="FILE", help="the task file")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--fhir-server", metavar="URL", help="a FHIR R4 server that holds the patients")
    source.add_argument("--fhir-recording", type=Path, metavar="FILE", help="what record_fhir wrote")
    add_board_arguments(
        parser,
        slug="the leaderboard; medagentbench-300 or medagentbench-100 for the published task files",
        version="what a file of this leaderboard says as its version",
    )


def read_ground_truth(options: Mapping[str, Any], *, progress: ShowProgress) -> GroundTruth:
    """Build the reference of every task of a task file. Raises GroundTruthInvalid."""
    path: Path = options["tasks"]
    tasks, digest = _read_tasks(path)
    board = _board(tasks, options)
    source, origin = _source(options)
    return GroundTruth(
        board=board,
        references=_build(tasks, source, path, progress),
        origin=f"tasks {path.name} sha256 {digest[:12]}; {origin}",
    )


def _read_tasks(path: Path) -> tuple[Any, str]:
    try:
        raw = path.read_bytes()
        return json.loads(raw), hashlib.sha256(raw).hexdigest()
    except (OSError, ValueError, RecursionError) as error:
        raise GroundTruthInvalid(f"{path} cannot be read as a task file: {error}") from error


def _board(tasks: Any, options: Mapping[str, Any]) -> BoardPlan:
    ids = [task.get("id") for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    # In order too: a runs.jsonl counts tasks by their place.
    published = next((v for v in PUBLISHED if ids == list(published_task_ids(v))), None)
    slug = options["slug"] or (_BOARDS[published].slug if published else None)
    if slug is None:
        raise GroundTruthInvalid(
            "These are not the tasks of a published version: name the leaderboard with --slug."
        )
    check_slug(slug)
    stated = next((version for version, board in _BOARDS.items() if board.slug == slug), None)
    stated = stated or slug.removeprefix("medagentbench-")
    if stated in PUBLISHED and stated != published:
        raise GroundTruthInvalid(
            f"These are not the tasks of {_BOARDS[stated].title} (test_data_{stated}): choose another --slug."
        )
    version = options["board_version"] or stated
    known = _BOARDS.get(version)
    return BoardPlan(
        slug=slug,
        version=version,
        title=known.title if known else f"MedAgentBench {version}",
        question=QUESTION.format(count=f"{len(ids):,}"),
        position=known.position if known else 100,
    )


def _source(options: Mapping[str, Any]) -> tuple[FhirSource, str]:
    """Return the source of the patients, and its description for the origin of the revision."""
    try:
        if options["fhir_server"]:
            server = FhirServer(options["fhir_server"])
            return server, f"FHIR server {server.base_url}"
        path: Path = options["fhir_recording"]
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return RecordedFhir(path), f"recording {path.name} sha256 {digest[:12]}"
    except (FhirError, OSError, ValueError) as error:
        raise GroundTruthInvalid(str(error)) from error


def _build(tasks: Any, source: FhirSource, path: Path, progress: ShowProgress) -> Mapping[str, Reference]:
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        progress(done, len(tasks))

    try:
        return build_references(tasks, source, progress=count)
    except TasksInvalid as error:
        raise GroundTruthInvalid(f"{path.name} is not a task file: {error}") from error
    except FhirError as error:
        raise GroundTruthInvalid(f"{error}\nNothing was imported.") from error
