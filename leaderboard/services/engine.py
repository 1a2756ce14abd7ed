"""Give jobs to the engine, procrastinate, whose tables are beside ours in PostgreSQL.

Our tables say what waits and in which state it is. A job says whose turn it is: a team has at most one turn
that waits in a lane, at the back of the queue when it got it, so teams take turns in the order of the queue.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import OperationalError, transaction

from leaderboard.monitoring import ids

# The engine is imported where it is used: a server without workers does not load it.
# ruff: noqa: PLC0415


class Lane(StrEnum):
    """The queues of the engine."""

    SHORT = "short"
    LONG = "long"
    STATISTICS = "statistics"


class Job(StrEnum):
    """Names of jobs, whose tasks are a layer above."""

    TURN = "turn"
    STATISTICS = "statistics"
    RESCORE = "rescore"


def give_turn(team_id: int, *, is_long: bool) -> None:
    """Queue a turn of a team, in the transaction of the row that waits for it."""
    lane = lane_of(is_long=is_long)
    key = _key(lane, team_id)
    with transaction.atomic():
        # Workers skip a job that is locked: one that we lock begins after our commit, and sees our row.
        while not _defer(Job.TURN, lane, key, team_id=team_id, is_long=is_long):
            if _waiting(lane).filter(queueing_lock=key).select_for_update().exists():
                return


def teams_with_turn(lane: Lane) -> set[int]:
    """Return the keys of the teams that have a turn which waits in a lane."""
    keys: Iterable[str] = _waiting(lane).filter(task_name=Job.TURN).values_list("queueing_lock", flat=True)
    return {int(key.rpartition(".")[2]) for key in keys}


def defer_statistics(board_id: int) -> None:
    """Queue the statistics of a leaderboard, unless they are queued already."""
    _defer(Job.STATISTICS, Lane.STATISTICS, f"statistics.{board_id}", board_id=board_id)


def defer_rescoring(board_id: int) -> None:
    """Queue the rescoring of a leaderboard, unless it is queued already."""
    _defer(Job.RESCORE, Lane.LONG, f"rescore.{board_id}", board_id=board_id)


@async_to_sync
async def take_up_dead() -> None:
    """Queue again the jobs of workers that have given no sign of life for the length of a lease."""
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import UniqueViolation
    from procrastinate.jobs import Status

    manager = app.job_manager
    for job in await manager.get_stalled_jobs(seconds_since_heartbeat=settings.LEASE_SECONDS):
        try:
            # It is due since long ago: a clock here that is ahead of the database's would keep it waiting.
            await manager.retry_job(job, retry_at=datetime.fromtimestamp(0, UTC))
        except UniqueViolation:
            # The same is queued already.
            await manager.finish_job(job, Status.ABORTED, delete_job=True)


def lane_of(*, is_long: bool) -> Lane:
    """Return the lane of submissions that are long, or not."""
    return Lane.LONG if is_long else Lane.SHORT


def _key(lane: Lane, team_id: int) -> str:
    return f"{lane}.{team_id}"


def _waiting(lane: Lane) -> Any:
    from procrastinate.contrib.django.models import ProcrastinateJob

    return ProcrastinateJob.objects.filter(queue_name=lane, status="todo")


def _defer(job: Job, lane: Lane, key: str, **arguments: Any) -> bool:
    """Queue a job; return False where one with the same key waits. Raises OperationalError."""
    from procrastinate.contrib.django import app
    from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

    # Asked first: PostgreSQL logs an error for each job that it refuses.
    if _waiting(lane).filter(queueing_lock=key).exists():
        return False
    arguments["request_id"] = ids.current("request_id")
    try:
        with transaction.atomic():
            app.configure_task(job, queue=lane, queueing_lock=key).defer(**arguments)
    except AlreadyEnqueued:
        return False
    except ConnectorException as error:
        raise OperationalError(f"the job could not be queued: {error.__cause__}") from error.__cause__
    return True
