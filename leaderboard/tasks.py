"""Background tasks. Messages hold ids only; a task may run twice, or be killed at any point."""

import os
import threading
import time
import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from celery import current_app, shared_task
from celery.exceptions import Reject
from celery.signals import celeryd_init, worker_process_init
from django.conf import settings
from django.db import connections
from django.urls import reverse

from leaderboard import checks
from leaderboard.services import broker, schema
from leaderboard.services.files import installation
from leaderboard.services.notifications import send
from leaderboard.services.processes import heartbeat
from leaderboard.services.statistics import compute
from leaderboard.services.submissions import admit, grade, lanes, rescore, sweep

# How far workers stand back behind other processes of the machine, from 0 to 19.
_NICE = 5


# Before Celery asks for its queues, whose names are in the database.
@celeryd_init.connect
def check_installation(**_: object) -> None:
    """End a worker where the tables or uploads are not its own, or SECRET_KEY can be guessed."""
    checks.check_at_start()
    schema.check_at_start()
    installation.check_at_start()
    if settings.NOTIFIES:
        # Emails have links to pages. What is loaded before the pool's processes fork is in memory once.
        reverse("web:front")
    # The pool's processes fork from this one, and two processes cannot share a connection.
    connections.close_all()


@worker_process_init.connect
def start_threads(**_: object) -> None:
    """Start heartbeat and sweep in each process of a worker's pool, or in the one that it is.

    Where web servers share the machine, their pages come before files.
    """
    os.setpriority(os.PRIO_PROCESS, 0, max(_NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    # Celery's mapping has the long names of the queues, with the key of the database.
    queues = current_app.amqp.queues.consume_from.values()
    aliases = [queue.alias or queue.name for queue in queues]  # type: ignore[attr-defined]
    lanes = broker.lanes_of(aliases)
    heartbeat.start(
        lanes=lanes,
        sweep=schema.if_own(sweep.sweep),
        notify=schema.if_own(send.notify),
        until=threading.Event(),
    )


_P = ParamSpec("_P")
_R = TypeVar("_R")


def _task(function: Callable[_P, _R]) -> Callable[_P, _R | None]:
    """Make a task, which a process leaves to others once the tables are those of a later release."""

    @wraps(function)
    def run(task: Any, *args: _P.args, **kwargs: _P.kwargs) -> _R | None:
        if schema.watch.reason() is None:
            return function(*args, **kwargs)
        if not task.request.called_directly:
            # Back to the queue, for a worker of the later release. Not at once: there may be none yet.
            time.sleep(schema.NOTICE_SECONDS)
            raise Reject(requeue=True)
        return None

    # Celery's stubs do not know that the task passes itself.
    bound: Callable[_P, _R | None] = shared_task(bind=True)(run)  # type: ignore[arg-type]
    return bound


@_task
def admit_submission(submission_id: str, *, in_turn: bool = True) -> None:
    """Check a received file, or work on whatever is next in its lane."""
    if in_turn:
        lanes.take_turn(submission_id=uuid.UUID(submission_id))
    else:
        admit.check(submission_id=uuid.UUID(submission_id))


@_task
def grade_submission(submission_id: str, *, in_turn: bool = True) -> None:
    """Score a queued submission, or work on whatever is next in its lane."""
    if in_turn:
        lanes.take_turn(submission_id=uuid.UUID(submission_id))
    else:
        grade.score(submission_id=uuid.UUID(submission_id))


@_task
def work_on_next(*, is_long: bool) -> bool:
    """Check or score the submission whose turn it is in its lane; return whether there was any."""
    return lanes.work_on_next(is_long=is_long)


@_task
def board_statistics(board_id: str) -> None:
    """Compute the statistics of a leaderboard."""
    compute.compute_statistics(board_id=int(board_id))


@_task
def rescore_board(board_id: str) -> int:
    """Rescore a leaderboard against its active revision; return how many submissions changed."""
    return rescore.rescore_board(board_id=int(board_id))
