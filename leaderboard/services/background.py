"""Queue background tasks: with Celery where a broker is configured, else in this process.

Without a broker, short tasks run at once, before the request is answered, and long ones in a thread of the
server. What turns out to be long, or finds the server busy, is passed on to that thread. A task that gets
lost (the broker is down, the process is killed) is queued again by the sweep.
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
from leaderboard.services import turns

logger = logging.getLogger(__name__)


class Task(StrEnum):
    """Names of tasks. Services use names because the tasks themselves are a layer above."""

    ADMIT = "leaderboard.tasks.admit_submission"
    GRADE = "leaderboard.tasks.grade_submission"
    STATISTICS = "leaderboard.tasks.board_statistics"
    RESCORE = "leaderboard.tasks.rescore_board"


_waiting: queue.SimpleQueue[tuple[Task, uuid.UUID | int]] = queue.SimpleQueue()
_is_served = threading.Event()
_is_server = ContextVar("is_server", default=False)  # whether this is the thread that runs `serve`
# When the time of a task that a request waits for is up; None where nobody waits.
_ends: ContextVar[float | None] = ContextVar("ends", default=None)
# Seconds that a request waits for its turn before its task is passed on.
_PATIENCE = 5
# Leaderboards that changed within `deduplicated_statistics`; None outside of it.
_changed_boards: ContextVar[set[int] | None] = ContextVar("changed_boards", default=None)


def enqueue(task: Task, submission_id: uuid.UUID, *, is_long: bool = False) -> None:
    """Queue `task` for a submission, whose row must be ready for it.

    is_long: the task may take longer than a request should wait.
    """
    if settings.BROKER_URL:
        transaction.on_commit(partial(_send, task, submission_id))
    elif is_long and _is_served.is_set():
        transaction.on_commit(partial(_waiting.put, (task, submission_id)))
    elif _is_served.is_set() and not _is_server.get():
        _run_for_request(task, submission_id)
    else:
        _run(task, submission_id)


def is_time_up() -> bool:
    """Return whether the current task runs for a request that has waited long enough."""
    ends = _ends.get()
    return ends is not None and monotonic() > ends


def take_turn() -> turns.Turn:
    """Return a turn for the work of a request that can be passed on. Raises turns.TooBusy."""
    return turns.reading.take(_PATIENCE, is_preferred=True)


def _run_for_request(task: Task, submission_id: uuid.UUID) -> None:
    try:
        turn = take_turn()
    except turns.TooBusy:
        transaction.on_commit(partial(_waiting.put, (task, submission_id)))
        return
    token = _ends.set(monotonic() + settings.REQUEST_SECONDS)
    try:
        with turn:
            _run(task, submission_id)
    finally:
        _ends.reset(token)


def enqueue_statistics(*, benchmark_id: int) -> None:
    """Queue the statistics of a leaderboard once the current transaction is committed.

    Queueing it too often is harmless: the task computes the statistics of the current rows, and does nothing
    where they are known. The caller waits for it only where no other process or thread could run it.
    """
    # Robust: the change is committed, whatever happens to its statistics.
    transaction.on_commit(lambda: _enqueue_statistics(benchmark_id), robust=True)


def enqueue_rescoring(*, benchmark_id: int) -> bool:
    """Queue the rescoring of a leaderboard; return False where no broker took the message.

    The sweep does not queue this task again, so the caller has to tell the user.
    """
    if not settings.BROKER_URL:
        return False
    try:
        celery.send_task(Task.RESCORE, args=[str(benchmark_id)])
    except Exception:
        logger.exception("could not send %s for leaderboard %s to the broker", Task.RESCORE, benchmark_id)
        return False
    return True


@contextmanager
def deduplicated_statistics() -> Iterator[None]:
    """Queue the statistics of each leaderboard once at the end, however often it changes within."""
    boards: set[int] = set()
    token = _changed_boards.set(boards)
    try:
        yield
    finally:
        _changed_boards.reset(token)
        for benchmark_id in boards:
            enqueue_statistics(benchmark_id=benchmark_id)


def _enqueue_statistics(benchmark_id: int) -> None:
    changed = _changed_boards.get()
    if changed is not None:
        changed.add(benchmark_id)
    elif settings.BROKER_URL:
        _send(Task.STATISTICS, benchmark_id)
    elif _is_served.is_set():
        _waiting.put((Task.STATISTICS, benchmark_id))
    else:
        _run(Task.STATISTICS, benchmark_id)


def serve(*, until: threading.Event, every: float, sweep: Callable[[], object]) -> None:
    """Run queued tasks in this thread until `until` is set.

    `sweep` is called now and every `every` seconds.
    """
    _is_served.set()
    _is_server.set(True)
    try:
        due = monotonic()
        while not until.is_set():
            # Checked before each task, so that a long queue does not delay the sweep.
            if monotonic() >= due:
                _log_failure("the sweep", sweep)
                due = monotonic() + every
            with suppress(queue.Empty):
                task, key = _waiting.get(timeout=max(0.0, due - monotonic()))
                _log_failure(f"{task} for {key}", partial(_run, task, key))
    finally:
        _is_served.clear()


def _log_failure(name: str, act: Callable[[], object]) -> None:
    try:
        act()
    except Exception:
        # Any error: the next round tries again, when the database may be back.
        logger.exception("%s failed and will be tried again", name)
    finally:
        connections.close_all()


def _run(task: Task, key: uuid.UUID | int) -> None:
    # Registered at start-up by leaderboard/apps.py.
    celery.tasks[task](str(key))


def _send(task: Task, key: uuid.UUID | int) -> None:
    try:
        # The message carries the key and nothing else.
        celery.send_task(task, args=[str(key)])
    except Exception:
        # A broker that is down must not fail the upload: the row is kept, and the sweep sends it again.
        logger.exception("could not send %s for %s to the broker; the sweep will try again", task, key)
