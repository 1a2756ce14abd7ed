"""Background work. Messages carry ids only; each task may come twice, or be cut off anywhere."""

import uuid

from celery import shared_task

from leaderboard.services import admission, grading, sweeping


@shared_task
def admit_submission(submission_id: str) -> None:
    """Check a received file."""
    admission.admit(submission_id=uuid.UUID(submission_id))


@shared_task
def grade_submission(submission_id: str) -> None:
    """Score a queued submission."""
    grading.score(submission_id=uuid.UUID(submission_id))


@shared_task
def sweep() -> int:
    """Take up what a killed worker or a lost message left lying."""
    return sweeping.sweep()
