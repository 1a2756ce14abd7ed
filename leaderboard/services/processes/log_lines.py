"""Store what processes logged about submissions, for the organisers of their leaderboards."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from leaderboard.models import SubmissionLogLine
from leaderboard.monitoring import submission_lines

# Of a submission; older lines are only in the log of the service.
MOST = 200
_LONGEST = 500  # characters, as the column has it
# Of an id that a client may have chosen.
_LONGEST_ID = 64


def store() -> int:
    """Store the lines that wait in this process; return how many.

    Where the database is away they wait on, and its error is raised.
    """
    lines = submission_lines.take()
    if not lines:
        return 0
    try:
        with transaction.atomic():
            SubmissionLogLine.objects.bulk_create(
                SubmissionLogLine(
                    submission_id=line.submission_id,
                    at=line.at,
                    level=line.level[:10],
                    message=line.message[:_LONGEST],
                    request_id=line.request_id[:_LONGEST_ID],
                    task_id=line.task_id[:_LONGEST_ID],
                )
                for line in lines
            )
            for submission_id in {line.submission_id for line in lines}:
                _keep_newest(UUID(submission_id))
    except (OperationalError, InterfaceError):
        submission_lines.give_back(lines)
        raise
    return len(lines)


def _keep_newest(submission_id: UUID) -> None:
    rows = SubmissionLogLine.objects.filter(submission=submission_id).order_by("-pk")
    first_too_many = rows.values_list("pk", flat=True)[MOST : MOST + 1]
    for pk in first_too_many:
        rows.filter(pk__lte=pk).delete()


def clear_expired() -> None:
    """Delete the lines that were kept for settings.SUBMISSION_LOG_DAYS."""
    oldest = timezone.now() - timedelta(days=settings.SUBMISSION_LOG_DAYS)
    SubmissionLogLine.objects.filter(at__lt=oldest).delete()
