"""Boards with many invented systems, written straight into the database of the service.

To be imported when Django is set up.
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
    Benchmark,
    BoardAction,
    Evaluation,
    Kind,
    Standing,
    Status,
    Submission,
    System,
    Team,
    User,
)
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.standing_facts import facts_for_standing
from leaderboard.services.record import events
from scoring.medagentbench import build_references
from scoring.statistics import wilson_interval

_BATCH = 2_000
_BEGUN = datetime(2025, 6, 1, tzinfo=UTC)
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
RESCORED = 0.7  # of the rows; the others are reported


def open_board(slug: str, tasks: Sequence[dict]):
    """Return a new board with `tasks`, its references built from an invented FHIR server."""

    board = Benchmark(slug=slug, family="medagentbench", version="v2", title=f"Bench, {slug}", question="?")
    references = build_references(list(tasks), InventedFhir())
    return import_references(benchmark=board, references=references, origin="invented").revision.benchmark


def people() -> list:
    """Return the teams that share the systems among them."""

    users = User.objects.bulk_create(User(email=f"u{n}@example.org", password="!") for n in range(_TEAMS))
    made = (Team(name=f"Team of ward {n}", owner_alone=user) for n, user in enumerate(users))
    return Team.objects.bulk_create(made)


def fill(board, size: int, teams: Sequence, seed: int) -> None:
    """Put `size` systems on the board, with all that the service would have written of their results."""
    rng = np.random.default_rng(seed)
    for first in range(0, size, _BATCH):
        with transaction.atomic():
            rows = _rows(board, range(first, min(size, first + _BATCH)), teams, rng)
            events.record(benchmark=board, action=BoardAction.PUBLISHED, rows=rows)


def _rows(board, numbers: range, teams: Sequence, rng: np.random.Generator) -> list:

    said = [_facts(f"{board.pk}.{number}", rng) for number in numbers]
    own = rng.random(len(said)) < RESCORED
    systems = System.objects.bulk_create(
        System(**facts, team=teams[n % _TEAMS]) if is_own else System(**facts, source=f"Paper {n % 90}")
        for n, facts, is_own in zip(numbers, said, own, strict=True)
    )
    tasks = board.active_revision.task_ids
    right = rng.random((len(said), len(tasks))) < rng.beta(6, 3, (len(said), 1))
    whole = [_figures(verdicts, tasks) for verdicts in right]
    times = [_BEGUN + timedelta(minutes=int(rng.integers(500_000))) for _ in said]
    mine = np.flatnonzero(own).tolist()
    sent = Submission.objects.bulk_create(_submission(board, systems[n], times[n]) for n in mine)
    evaluations = Evaluation.objects.bulk_create(
        _evaluation(board, one, right[n], whole[n]) for n, one in zip(mine, sent, strict=True)
    )
    of = dict(zip(mine, evaluations, strict=True))
    return Standing.objects.bulk_create(
        _standing(board, system, whole[n], of.get(n), times[n]) for n, system in enumerate(systems)
    )


def finish(board) -> None:
    """Say of all submissions that they are scored and published: each has an evaluation by now."""

    own = Evaluation.objects.filter(submission=OuterRef("pk")).values("pk")[:1]
    Submission.objects.filter(benchmark=board).update(
        status=Status.SCORED,
        evaluation=Subquery(own),
        scored_at=F("received_at"),
        published_at=F("received_at"),
    )


def _facts(number: str, rng: np.random.Generator) -> dict[str, Any]:
    pick = rng.integers(0, 1_000, 8).tolist()
    models = sorted({_MODELS[pick[0] % len(_MODELS)], _MODELS[pick[1] % len(_MODELS)]})
    return {
        "name": f"{_FIRST[pick[2] % len(_FIRST)]} {_SECOND[pick[3] % len(_SECOND)]} {number}",
        "model_names": models[: 1 + pick[1] % 2],
        "organisation": f"Hospital {pick[4] % 60}" if pick[4] % 5 else "",
        "interaction": ("single-turn", "multi-turn")[pick[5] % 2],
        "retrieval": ("query-generator", "retriever", "both", "none")[pick[6] % 4],
        "reasoning": ("language", "code", "")[pick[7] % 3],
        "open_weights": (True, False, None)[pick[7] % 3],
    }


def _figures(verdicts: np.ndarray, tasks: Sequence[str]) -> dict[str, Any]:
    """What scoring gives of verdicts task by task, in the order of `tasks`: ten types of equal size."""
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


def _submission(board, system, at: datetime):

    name = uuid.uuid4()
    return Submission(
        benchmark=board,
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
        received_at=at,
        moved_at=at,
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
        # The numbers of the reasons: 0 is right, 1 an answer that does not match.
        verdicts=(~verdicts).astype(np.uint8).tobytes(),
        duration_ms=25,
        created_at=submission.received_at,
    )


def _standing(board, system, figures: dict[str, Any], evaluation, at: datetime):

    low, high = wilson_interval(figures["right"], figures["total"])
    # Of three reported rows one has printed its figures by type.
    groups = figures["groups"] if evaluation is None and figures["right"] % 3 == 0 else {}
    return Standing(
        benchmark=board,
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
        since=at,
    )
