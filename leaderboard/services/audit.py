"""Append to the organisers' audit log."""

from collections.abc import Iterable
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


def record_each(action: AuditEvent.Action, submissions: Iterable[Submission], **data: Any) -> None:
    """Append an event without an actor about each submission, in the caller's transaction."""
    events = [
        AuditEvent(action=action, submission=each, board_id=each.board_id, data=data) for each in submissions
    ]
    AuditEvent.objects.bulk_create(events, batch_size=500)
