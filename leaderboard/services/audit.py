"""Writing the record of what happened."""

from leaderboard.models import AuditEvent, Submission, User


def record(
    action, *, actor: User | None = None, submission: Submission | None = None, benchmark=None, **data
):
    """Append one event, in the caller's transaction."""
    AuditEvent.objects.create(
        action=action,
        actor=actor,
        submission=submission,
        benchmark=benchmark or (submission.benchmark if submission else None),
        data=data,
    )
