"""Create leaderboards with many invented systems, directly in the database of the service.

Import it after Django is set up.
"""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, OuterRef, Subquery
from submit import InventedFhir

from leaderboard.models import (
    UNLIMITED,
    Board,
    BoardAction,
    Evaluation,
    Kind,
    Standing,
    Status,
    Submission,
    System,
    Team,
    User,
    Work,
)
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.standings import facts_for_standing
from leaderboard.services.record import events
from wardboard.scoring.medagentbench import build_references
from wardboard.scoring.statistics import wilson_interval

_BATCH = 2_000
_FIRST_DAY = datetime(2025, 6, 1, tzinfo=UTC)
_FIRST = [
    "Careful",
    "Quick",
    "Quiet",
    "Northern",
    "Second",
    "Bright",
    "Plain",
    "Steady",
    "Narrow",
    "Early",
    "Modest",
    "Silver",
]
_SECOND = [
    "round",
    "scribe",
    "triage",
    "ledger",
    "intern",
    "registrar",
    "chart",
    "shift",
    "order",
    "fellow",
    "referral",
    "consult",
]
_MODELS = [f"{name} {size}" for name in ("Linden", "Harrow", "Aster", "Marram") for size in (7, 24, 70, 235)]
_TEAMS = 200
RESCORED = 0.7  # share of the rows; the others are as published


def open_board(slug: str, tasks: Sequence[dict]):
    """Return a new board with `tasks`, its references built from an invented FHIR server."""

    board = Board(
        slug=slug, benchmark="medagentbench", version="v2", title=f"Bench, {slug}", question="?", **UNLIMITED
    )
    references = build_references(list(tasks), InventedFhir())
    return import_references(board=board, references=references, origin="invented").revision.board


def create_teams() -> list:
    """Create the teams that own the systems."""

    users = User.objects.bulk_create(User(email=f"u{n}@example.org", password="!") for n in range(_TEAMS))
    teams = (Team(name=f"Team of ward {n}", owner_alone=user) for n, user in enumerate(users))
    return Team.objects.bulk_create(teams)


def add_systems(board, size: int, teams: Sequence, seed: int) -> None:
    """Add `size` systems to the board, with all rows that the service would have written."""
    rng = np.random.default_rng(seed)
    for first in range(0, size, _BATCH):
        with transaction.atomic():
            rows = _rows(board, range(first, min(size, first + _BATCH)), teams, rng)
            events.record(events.Change(action=BoardAction.PUBLISHED, rows=rows), board=board)


def _rows(board, numbers: range, teams: Sequence, rng: np.random.Generator) -> list:

    facts_of_systems = [_facts(f"{board.pk}.{number}", rng) for number in numbers]
    is_own_row = rng.random(len(facts_of_systems)) < RESCORED
    systems = System.objects.bulk_create(
        System(**facts, team=teams[n % _TEAMS]) if is_own else System(**facts, source=f"Paper {n % 90}")
        for n, facts, is_own in zip(numbers, facts_of_systems, is_own_row, strict=True)
    )
    tasks = board.active_revision.task_ids
    right = rng.random((len(facts_of_systems), len(tasks))) < rng.beta(6, 3, (len(facts_of_systems), 1))
    figures = [_figures(verdicts, tasks) for verdicts in right]
    times = [_FIRST_DAY + timedelta(minutes=int(rng.integers(500_000))) for _ in facts_of_systems]
    own_indices = np.flatnonzero(is_own_row).tolist()
    submissions = Submission.objects.bulk_create(
        _submission(board, systems[n], times[n]) for n in own_indices
    )
    Work.objects.bulk_create(Work(submission=submission) for submission in submissions)
    evaluations = Evaluation.objects.bulk_create(
        _evaluation(board, submission, right[n], figures[n])
        for n, submission in zip(own_indices, submissions, strict=True)
    )
    evaluation_of = dict(zip(own_indices, evaluations, strict=True))
    return Standing.objects.bulk_create(
        _standing(board, system, figures[n], evaluation_of.get(n), times[n])
        for n, system in enumerate(systems)
    )


def mark_scored(board) -> None:
    """Mark all submissions, which have evaluations by now, as scored and published."""

    evaluation = Evaluation.objects.filter(submission=OuterRef("pk")).values("pk")[:1]
    Submission.objects.filter(board=board).update(
        status=Status.SCORED,
        evaluation=Subquery(evaluation),
        scored_at=F("received_at"),
        published_at=F("received_at"),
    )


def _facts(number: str, rng: np.random.Generator) -> dict[str, Any]:
    picks = rng.integers(0, 1_000, 8).tolist()
    models = sorted({_MODELS[picks[0] % len(_MODELS)], _MODELS[picks[1] % len(_MODELS)]})
    return {
        "name": f"{_FIRST[picks[2] % len(_FIRST)]} {_SECOND[picks[3] % len(_SECOND)]} {number}",
        "model_names": models[: 1 + picks[1] % 2],
        "organisation": f"Hospital {picks[4] % 60}" if picks[4] % 5 else "",
        "interaction": ("single-turn", "multi-turn")[picks[5] % 2],
        "retrieval": ("query-generator", "retriever", "both", "none")[picks[6] % 4],
        "reasoning": ("language", "code", "")[picks[7] % 3],
        "open_weights": (True, False, None)[picks[7] % 3],
    }


def _figures(verdicts: np.ndarray, tasks: Sequence[str]) -> dict[str, Any]:
    """Return the results of scoring for verdicts in the order of `tasks`: ten types of equal size."""
    by_type = verdicts.reshape(10, -1)
    counts = by_type.sum(axis=1).tolist()
    size = by_type.shape[1]
    right, total = int(verdicts.sum()), len(tasks)
    groups = {str(kind + 1): [count, size] for kind, count in enumerate(counts)}
    metrics = {
        "success_rate": right / total,
        "query_success_rate": sum(counts[::2]) / (5 * size),
        "action_success_rate": sum(counts[1::2]) / (5 * size),
        "coverage": 1.0,
    }
    return {"right": right, "total": total, "groups": {"task_type": groups}, "metrics": metrics}


def _submission(board, system, received_at: datetime):

    name = uuid.uuid4()
    return Submission(
        board=board,
        team=system.team,
        submitted_by_id=system.team.owner_alone_id,
        system=system,
        status=Status.QUEUED,
        sha256=name.hex * 2,
        size_bytes=127_000,
        stored_as=name,
        count=board.active_revision.task_count,
        filename="results.json",
        format="json-array",
        received_at=received_at,
        moved_at=received_at,
    )


def _evaluation(board, submission, verdicts: np.ndarray, figures: dict[str, Any]):

    return Evaluation(
        submission=submission,
        revision_id=board.active_revision_id,
        scorer_version="1",
        right=figures["right"],
        total=figures["total"],
        metrics=figures["metrics"],
        breakdowns=figures["groups"],
        # The numbers of the reasons: 0 is correct, 1 an answer that does not match.
        verdicts=(~verdicts).astype(np.uint8).tobytes(),
        duration_ms=25,
        created_at=submission.received_at,
    )


def _standing(board, system, figures: dict[str, Any], evaluation, received_at: datetime):

    low, high = wilson_interval(figures["right"], figures["total"])
    # One of three rows as published has printed its metrics by type.
    groups = figures["groups"] if evaluation is None and figures["right"] % 3 == 0 else {}
    return Standing(
        board=board,
        system=system,
        **facts_for_standing(system),
        kind=Kind.REPORTED if evaluation is None else Kind.RESCORED,
        evaluation=evaluation,
        right=figures["right"],
        total=figures["total"],
        score=figures["right"] / figures["total"],
        low=low,
        high=high,
        metrics=figures["metrics"],
        breakdowns=groups,
        since=received_at,
    )
