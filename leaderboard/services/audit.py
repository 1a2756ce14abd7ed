"""Append to the organisers' audit log."""

from typing import Any

from leaderboard.models import AuditEvent, Board, Submission, User


def record(
    action: AuditEvent.Action,
    *,
    actor: User | None = None,
    submission: Submission | None = None,
    board: Board | None = None,
    **data: Any,
) -> None:
    """Append an event in the caller's transaction, by default on the board of `submission`."""
    AuditEvent.objects.create(
        action=action,
        actor=actor,
        submission=submission,
        board=board or (submission.board if submission else None),
        data=data,
    )
