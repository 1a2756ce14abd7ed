"""Evaluations of a board as flat dictionaries, for the organiser's own analysis."""

from collections.abc import Iterator
from typing import Any

from leaderboard.models import Board, Evaluation
from leaderboard.models.systems import RELEASE
from leaderboard.services import visibility


def evaluation_rows(board: Board) -> Iterator[dict[str, Any]]:
    """Yield every evaluation of the board, in the order in which they were made.

    All rows have the same keys. Figures are limited to the board's feedback level, without verdicts on
    tasks. `is_current`: whether the submission shows this evaluation; others are of an earlier revision,
    scorer or judge.
    """
    evaluations = (
        Evaluation.objects.filter(submission__board=board)
        .with_revision()
        .select_related("submission__team", "submission__system")
        .select_related("submission__ci_job")
        .order_by("created_at", "pk")
    )
    groups = [
        (breakdown.key, group)
        for breakdown in visibility.visible_breakdowns(board)
        for group in breakdown.groups
    ]
    return (_as_dict(board, evaluation, groups) for evaluation in evaluations.iterator(chunk_size=500))


def _as_dict(board: Board, evaluation: Evaluation, groups: list[tuple[str, str]]) -> dict[str, Any]:
    submission = evaluation.submission
    # Otherwise each submission would query the board.
    submission.board = board
    result = visibility.visible_result(submission, evaluation=evaluation, to_organiser=True)
    assert result is not None, "there is an evaluation"
    row: dict[str, Any] = {
        "evaluation": evaluation.pk,
        "submission": str(submission.pk),
        "is_current": submission.evaluation_id == evaluation.pk,
        "is_published": submission.is_published,
        "team": submission.team.name,
        "system": submission.system.name,
        **{name: getattr(submission, name) for name in RELEASE},
        "provenance": submission.provenance,
        "repository": submission.ci_job.repository if submission.ci_job else "",
        "judge": evaluation.judge,
        "scorer_version": evaluation.scorer_version,
        "revision": evaluation.revision.number,
        "reference_digest": evaluation.revision.digest,
        "received_at": submission.received_at,
        "created_at": evaluation.created_at,
        "right": result.overall.right,
        "total": result.overall.total,
        **result.metrics,
    }
    for breakdown, group in groups:
        rate = result.breakdowns[breakdown].get(group)
        row[f"{breakdown}.{group}.right"] = rate.right if rate else None
        row[f"{breakdown}.{group}.total"] = rate.total if rate else None
    return row
