"""Background tasks. Messages hold ids only; a task may run twice, or be killed at any point."""

import uuid

from celery import shared_task
from celery.signals import worker_init
from django.db import connections

from leaderboard import checks
from leaderboard.services.files import installation
from leaderboard.services.statistics import compute
from leaderboard.services.submissions import admit, grade, rescore
from leaderboard.services.submissions import sweep as sweeping


@worker_init.connect
def check_installation(**_: object) -> None:
    """End a worker where the uploads belong to another database, or SECRET_KEY can be guessed."""
    checks.check_at_start()
    installation.check_at_start()
    # The pool's processes fork from this one, and two processes cannot share a connection.
    connections.close_all()


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
    """Compute the statistics of a leaderboard."""
    compute.compute_statistics(benchmark_id=int(benchmark_id))


@shared_task
def rescore_board(benchmark_id: str) -> int:
    """Rescore a leaderboard against its active revision; return how many submissions changed."""
    return rescore.rescore_board(benchmark_id=int(benchmark_id))


@shared_task
def sweep() -> int:
    """Resume submissions that a killed worker or a lost message left unfinished."""
    return sweeping.sweep()
