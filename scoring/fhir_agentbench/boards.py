"""The leaderboards of FHIR-AgentBench, and importing their ground truth."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from wardboard.scoring.fhir_agentbench import demo
from wardboard.scoring.fhir_agentbench.grading.breakdowns import (
    BREAKDOWNS,
    PUBLISHED_COUNT,
    PUBLISHED_SIZES,
    are_published,
    resource_type,
)
from wardboard.scoring.fhir_agentbench.grading.questions_file import QuestionsInvalid, read_questions
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.ground_truth import (
    BoardPlan,
    GroundTruth,
    GroundTruthInvalid,
    PlannedBoards,
    ReferenceFile,
    check_slug,
    read_file,
    refuse,
)
from wardboard.scoring.reading.codes import ReferenceCode
from wardboard.scoring.reading.messages import phrase

# Most of a file is traces, which are never graded, so no board keeps originals.
BOARDS = msgspec.json.decode(Path(__file__).with_name("boards.json").read_bytes(), type=PlannedBoards)
(PUBLISHED_BOARD,) = BOARDS.published
DEMONSTRATION = BOARDS.demonstrate(demo.FOLDER, lambda: read_questions(demo.QUESTIONS))


def read_ground_truth(options: Mapping[str, Any]) -> GroundTruth:
    """Read the questions with their references from a CSV file. Raises GroundTruthInvalid."""
    file: ReferenceFile = options["questions"]
    raw = read_file(file)
    try:
        references = read_questions(BytesIO(raw), allow_missing_ids=options["allow_missing_ids"])
    except QuestionsInvalid as error:
        raise GroundTruthInvalid([replace(problem, file=file.name) for problem in error.problems]) from error
    return GroundTruth(
        board=_board(references, options),
        references=references,
        origin=f"questions {file.name} sha256 {hashlib.sha256(raw).hexdigest()[:12]}",
        notes=tuple(_size_notes(references)),
    )


def _board(references: Mapping[str, FhirReference], options: Mapping[str, Any]) -> BoardPlan:
    slug = options["slug"] if options["slug"] is not None else PUBLISHED_BOARD.slug
    check_slug(slug)
    is_published = are_published(PUBLISHED_BOARD.version, references)
    if slug == PUBLISHED_BOARD.slug and not is_published:
        raise refuse(
            ReferenceCode.BOARD,
            phrase("these are not the {count} questions of the paper", count=f"{PUBLISHED_COUNT:,}"),
            hint=phrase("Name the leaderboard with `--slug`."),
        )
    version = options["board_version"] or (PUBLISHED_BOARD.version if is_published else slug)
    return BoardPlan(
        slug=slug,
        version=version,
        title=PUBLISHED_BOARD.title if is_published else f"{PUBLISHED_BOARD.title} {version}",
        question=BOARDS.question.format(count=f"{len(references):,}"),
        position=PUBLISHED_BOARD.position if slug == PUBLISHED_BOARD.slug else 100,
        keep_originals=False,
    )


def _size_notes(references: Mapping[str, FhirReference]) -> Iterator[str]:
    """Yield a table that compares group sizes with the paper's, and whether the set is complete."""
    sizes = Counter(map(resource_type, references.values()))
    rows = [(label, sizes[key], PUBLISHED_SIZES.get(key, 0)) for key, label in BREAKDOWNS[0].groups.items()]
    rows = [row for row in rows if row[1] or row[2]]
    rows.append(("Total", len(references), PUBLISHED_COUNT))
    yield f"\n{'True resources':<30}{'here':>8}{'paper':>8}"
    for label, own, paper in rows:
        mark = "" if own == paper else f"{own - paper:>+9,}"
        yield f"{label:<30}{own:>8,}{paper:>8,}{mark}"
    differing = sum(own != paper for _, own, paper in rows[:-1])
    if not differing:
        yield "Complete: all sizes are the paper's."
        return
    yield (
        f"{differing} of {len(rows) - 1} sizes differ from the paper's: this is not the published "
        "set, and scores on it cannot be compared with published ones."
    )
    if sizes["unknown"]:
        yield "The gold resources are not known: retrieval is not scored on this leaderboard."
