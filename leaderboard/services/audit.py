"""Append to the organisers' audit log."""

from typing import Any

from leaderboard.models import AuditEvent, Benchmark, Submission, User


def record(
    action: AuditEvent.Action,
    *,
    actor: User | None = None,
    submission: Submission | None = None,
    benchmark: Benchmark | None = None,
    **data: Any,
) -> None:
    """Append an event in the caller's transaction; `data` is stored as JSON.

    benchmark: the leaderboard of `submission` unless given.
    """
    AuditEvent.objects.create(
        action=action,
        actor=actor,
        submission=submission,
        benchmark=benchmark or (submission.benchmark if submission else None),
        data=data,
    )
