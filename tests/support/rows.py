"""Create rows of a board with chosen figures, without a file."""

import uuid
from datetime import UTC, date, datetime

from django.db import transaction
from django.utils import timezone

from leaderboard.models import (
    Board,
    BoardAction,
    BoardState,
    Evaluation,
    Kind,
    ReferenceRevision,
    Standing,
    Submission,
    System,
    Team,
    User,
)
from leaderboard.services.publishing import standings
from leaderboard.services.record import events
from leaderboard.services.record.events import Change
from leaderboard.services.text import build_models_text, build_search_text
from wardboard.scoring.facts import LINKS
from wardboard.scoring.reported import ReportedRow
from wardboard.scoring.statistics import wilson_interval
from wardboard.scoring.verdicts import Rate

SINCE = datetime(2026, 3, 1, tzinfo=UTC)


def raise_revision(board: Board) -> None:
    """Raise the revision of a board, as every change does, so that nothing cached for it is used."""
    state = BoardState.objects.get(board=board)
    state.revision += 1
    state.changed_at = timezone.now()
    state.save()
    board.state = state


def revise(board: Board) -> Board:
    """Activate another revision with the same references; rows of before belong to the previous one."""
    revision = board.active_revision
    revision.pk, revision.number, revision.digest = None, 2, revision.digest[::-1]
    revision._state.adding = True
    revision.save()
    Board.objects.filter(pk=board.pk).update(active_revision=revision)
    return Board.objects.get(pk=board.pk)


def put_row(
    board: Board,
    name: str,
    score: float | None = None,
    *,
    kind: str = Kind.REPORTED,
    judge: str = "",
    ends: tuple[float, float] | None = None,
    counts: tuple[int, int] | None = None,
    metrics: dict | None = None,
    breakdowns: dict | None = None,
    group_metrics: dict | None = None,
    since: datetime = SINCE,
    **facts,
) -> Standing:
    """Create a standing and its system; a reported one unless `kind` is given.

    counts: right and total, from which score and interval follow.
    ends: the ends of the interval without `counts`; by default 0.05 to each side of the score.
    facts: fields of the system.
    """
    if counts:
        score, ends = counts[0] / counts[1], wilson_interval(*counts)
    elif score is not None and ends is None:
        ends = max(0, score - 0.05), min(1, score + 0.05)
    low, high = ends or (None, None)
    right, total = counts or (None, None)
    system = System.objects.create(name=name, source=f"a paper, {kind}", **facts)
    raise_revision(board)
    models = facts.get("model_names", [])
    organisation = facts.get("organisation", "")
    return Standing.objects.create(
        board=board,
        system=system,
        evaluation=_evaluation_of(board, system) if kind == Kind.RESCORED else None,
        name=name,
        source=system.source,
        models_text=build_models_text(models),
        search=build_search_text(name=name, organisation=organisation, team_name="", models=models),
        **{key: value for key, value in facts.items() if key not in {fact.field for fact in LINKS}},
        kind=kind,
        judge=judge,
        right=right,
        total=total,
        score=score,
        low=low,
        high=high,
        metrics=metrics or {},
        breakdowns=breakdowns or {},
        group_metrics=group_metrics or {},
        since=since,
    )


def _evaluation_of(board: Board, system: System) -> Evaluation:
    """Create what a verified row needs, with no figures."""
    now = timezone.now()
    user, _ = User.objects.get_or_create(email="rows@example.org")
    team, _ = Team.objects.get_or_create(handle="rows", defaults={"name": "Rows"})
    references = {"digest": "d", "origin": "tests", "task_ids": ["a"], "content": b"{}"}
    revision, _ = ReferenceRevision.objects.get_or_create(board=board, number=1, defaults=references)
    times = {"received_at": now, "moved_at": now}
    submission = Submission.objects.create(
        **{"board": board, "team": team, "submitted_by": user, "system": system, **times},
        **{"sha256": f"{system.pk:064}", "size_bytes": 1, "stored_as": uuid.uuid4()},
    )
    figures = {"right": 1, "total": 1, "metrics": {}, "breakdowns": {}, "verdicts": b"", "duration_ms": 1}
    return Evaluation.objects.create(
        submission=submission, revision=revision, scorer_version="1", created_at=now, **figures
    )


def make_reported_row(rate_of=(0, 0), **fields):
    """Return a row as a paper reports it. rate_of: right and total."""
    row = {"system": "Reported", "model": "m", "open_weights": None, "metrics": {}}
    row |= {"source": "a paper", "source_url": "https://example.org/", "published_on": date(2025, 1, 1)}
    return ReportedRow(overall=Rate(right=rate_of[0], total=rate_of[1]), **{**row, **fields})


def state_of(board: Board) -> BoardState:
    """Return the board's counters, read now."""
    return BoardState.objects.get(board=board)


@transaction.atomic
def put_reported(*, board, system, row, since) -> None:
    """Put the row of a published result on a board, and log it where it is new or changed."""
    if rows := standings.save_reported(board=board, system=system, row=row, since=since):
        events.record(Change(action=BoardAction.REPORTED, system=system, rows=rows), board=board)
