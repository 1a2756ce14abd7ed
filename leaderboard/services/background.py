"""Handing work over: to a Celery worker where there is a broker; else to this process.

Without a broker short work is done at once, before the request is answered, and long work by a thread of
the server. Whatever is lost on the way (a broker that is down, a killed process) the sweep finds again.
"""

import logging
import queue
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from enum import StrEnum
from functools import partial
from time import monotonic

from django.conf import settings
from django.db import connections, transaction

from leaderboard.celery import app as celery

logger = logging.getLogger(__name__)


class Task(StrEnum):
    """Tasks by their names, since tasks sit above services."""

    ADMIT = "leaderboard.tasks.admit_submission"
    GRADE = "leaderboard.tasks.grade_submission"
    STATISTICS = "leaderboard.tasks.board_statistics"
    RESCORE = "leaderboard.tasks.rescore_board"


_waiting: queue.SimpleQueue[tuple[Task, uuid.UUID | int]] = queue.SimpleQueue()
_served = threading.Event()
# Boards that changed since `gathered_boards` began; None outside of it.
_gathered: ContextVar[set[int] | None] = ContextVar("gathered", default=None)


def hand_over(task: Task, submission_id: uuid.UUID, *, is_long: bool = False) -> None:
    """Have `task` done for the submission. Call it where the row is ready for the task."""
    if settings.BROKER_URL:
        transaction.on_commit(partial(_send, task, submission_id))
    elif is_long and _served.is_set():
        transaction.on_commit(partial(_waiting.put, (task, submission_id)))
    else:
        _do(task, submission_id)


def hand_over_board(*, benchmark_id: int) -> None:
    """Have the statistics of a board worked out once the present transaction is committed.

    A message too many is harmless: the task works for the rows as they are then, and does nothing where that
    is done. It never makes who changed the board wait, unless nothing but this process is there to do it.
    """
    # Robust: what was changed stays changed, whatever comes of its statistics.
    transaction.on_commit(lambda: _pass_on(benchmark_id), robust=True)


def hand_over_rescoring(*, benchmark_id: int) -> bool:
    """Have a worker score a board again. False where no worker was told: there is no broker, or it is down.

    Nothing finds it again where it is lost, so whoever asked has to know.
    """
    if not settings.BROKER_URL:
        return False
    try:
        celery.send_task(Task.RESCORE, args=[str(benchmark_id)])
    except Exception:
        logger.exception("%s of %s did not reach the broker", Task.RESCORE, benchmark_id)
        return False
    return True


@contextmanager
def gathered_boards() -> Iterator[None]:
    """Hand over each board once in the end, however often it changes until then."""
    boards: set[int] = set()
    token = _gathered.set(boards)
    try:
        yield
    finally:
        _gathered.reset(token)
        for benchmark_id in boards:
            hand_over_board(benchmark_id=benchmark_id)


def _pass_on(benchmark_id: int) -> None:
    gathered = _gathered.get()
    if gathered is not None:
        gathered.add(benchmark_id)
    elif settings.BROKER_URL:
        _send(Task.STATISTICS, benchmark_id)
    elif _served.is_set():
        _waiting.put((Task.STATISTICS, benchmark_id))
    else:
        _do(Task.STATISTICS, benchmark_id)


def serve(*, until: threading.Event, every: float, sweep: Callable[[], object]) -> None:
    """Do what is handed over in this process, and call `sweep` now and every `every` seconds."""
    _served.set()
    try:
        due = monotonic()
        while not until.is_set():
            # Looked at before each task: a long queue must not keep the sweep waiting.
            if monotonic() >= due:
                _guarded("the sweep", sweep)
                due = monotonic() + every
            with suppress(queue.Empty):
                task, key = _waiting.get(timeout=max(0.0, due - monotonic()))
                _guarded(f"{task} of {key}", partial(_do, task, key))
    finally:
        _served.clear()


def _guarded(what: str, act: Callable[[], object]) -> None:
    try:
        act()
    except Exception:
        # Whatever it was, the next round tries again: a database that was away comes back.
        logger.exception("%s failed; it is tried again", what)
    finally:
        connections.close_all()


def _do(task: Task, key: uuid.UUID | int) -> None:
    # Registered when the application starts, by leaderboard/apps.py.
    celery.tasks[task](str(key))


def _send(task: Task, key: uuid.UUID | int) -> None:
    try:
        # The message carries the key and nothing else.
        celery.send_task(task, args=[str(key)])
    except Exception:
        # A broker that is down costs the submitter nothing: the row stays, and the sweep sends again.
        logger.exception("%s of %s did not reach the broker; the sweep sends it again", task, key)
