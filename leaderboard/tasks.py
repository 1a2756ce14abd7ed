"""Background work. Messages carry ids only; each task may come twice, or be cut off anywhere."""

import uuid

from celery import shared_task

from leaderboard.services.statistics import compute
from leaderboard.services.submissions import admit, grade, rescore
from leaderboard.services.submissions import sweep as sweeping


@shared_task
def admit_submission(submission_id: str) -> None:
    """Check a received file."""
    admit.admit(submission_id=uuid.UUID(submission_id))


@shared_task
def grade_submission(submission_id: str) -> None:
    """Score a queued submission."""
    grade.score(submission_id=uuid.UUID(submission_id))


@shared_task
def board_statistics(benchmark_id: str) -> None:
    """Work out how sure the ranks of a board are."""
    compute.work_out(benchmark_id=int(benchmark_id))


@shared_task
def rescore_board(benchmark_id: str) -> int:
    """Score a board's submissions again against its ground truth of now; return how many changed."""
    return rescore.rescore_board(benchmark_id=int(benchmark_id))


@shared_task
def sweep() -> int:
    """Take up what a killed worker or a lost message left lying."""
    return sweeping.sweep()
