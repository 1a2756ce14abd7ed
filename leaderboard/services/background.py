"""Handing work over: to a Celery worker where there is a broker; else to this process.

Without a broker short work is done at once, before the request is answered, and long work by a thread of
the server. Whatever is lost on the way (a broker that is down, a killed process) the sweep finds again.
"""

import importlib
import logging
import queue
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
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


_waiting: queue.SimpleQueue[tuple[Task, uuid.UUID]] = queue.SimpleQueue()
_served = threading.Event()


def hand_over(task: Task, submission_id: uuid.UUID, *, is_long: bool = False) -> None:
    """Have `task` done for the submission. Call it where the row is ready for the task."""
    if settings.BROKER_URL:
        transaction.on_commit(partial(_send, task, submission_id))
    elif is_long and _served.is_set():
        transaction.on_commit(partial(_waiting.put, (task, submission_id)))
    else:
        _do(task, submission_id)


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
                task, submission_id = _waiting.get(timeout=max(0.0, due - monotonic()))
                _guarded(f"{task} of {submission_id}", partial(_do, task, submission_id))
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


def _do(task: Task, submission_id: uuid.UUID) -> None:
    importlib.import_module("leaderboard.tasks")
    celery.tasks[task](str(submission_id))


def _send(task: Task, submission_id: uuid.UUID) -> None:
    try:
        # The message carries the id and nothing else.
        celery.send_task(task, args=[str(submission_id)])
    except Exception:
        # A broker that is down costs the submitter nothing: the row stays, and the sweep sends again.
        logger.exception("submission %s did not reach the broker; the sweep sends it again", submission_id)
