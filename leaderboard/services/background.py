"""Background tasks: workers find them in our tables where there are any, else this process does them.

Work has three lanes, none of which waits for another: short submissions, long ones, and statistics of
leaderboards. Within a lane teams take turns (services.submissions.lanes).

With workers, each lane has processes, which look for rows that wait. Without them, each is a thread of the
server, except that a short task runs at once, before the request is answered, unless it finds the server
busy. What turns out to be long is passed on to the long lane. The sweep frees what a killed process leaves.
"""

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

from leaderboard.services import turns
from leaderboard.services.processes.heartbeat import attempt


class Lane(StrEnum):
    SHORT = "short"
    LONG = "long"
    STATISTICS = "statistics"


class Task(StrEnum):
    """Names of tasks. Services use names because the tasks themselves are a layer above."""

    WORK = "work"
    STATISTICS = "statistics"
    NEXT = "next"


# The tasks by their names, from leaderboard/tasks.py.
tasks: dict[Task, Callable[..., object]] = {}


# Seconds after which the thread for long submissions looks for what other processes queued.
_LOOK_EVERY = 5
# Seconds until a thread notices that the server stops.
_STOPS_WITHIN = 0.5
has_work = {Lane.SHORT: threading.Event(), Lane.LONG: threading.Event()}
changed_queue: queue.SimpleQueue[int] = queue.SimpleQueue()
is_served = threading.Event()
_is_server = ContextVar("is_server", default=False)  # whether this is a thread of `serve`
# The deadline of a task that a request waits for; None if no request waits.
_ends: ContextVar[float | None] = ContextVar("ends", default=None)
# Seconds that a request waits for its turn before its task is passed on.
PATIENCE = 5
# Leaderboards that changed within `deduplicated_statistics`; None outside of it.
_changed_boards: ContextVar[set[int] | None] = ContextVar("changed_boards", default=None)


def enqueue(submission_id: uuid.UUID, *, is_long: bool = False) -> None:
    """Have this server check or score a submission whose row is ready, unless there are workers."""
    if settings.WORKERS:
        return
    if is_long and is_served.is_set():
        transaction.on_commit(has_work[Lane.LONG].set)
    elif is_for_request(is_long=is_long):
        with working_for_request():
            tasks[Task.WORK](submission_id)
    else:
        tasks[Task.WORK](submission_id)


def take_up(submission_id: uuid.UUID, *, is_long: bool) -> None:
    """Queue a submission that waits to be checked or scored, and whose process was lost."""
    if settings.WORKERS:
        return
    if is_served.is_set():
        has_work[Lane.LONG if is_long else Lane.SHORT].set()
    else:
        tasks[Task.WORK](submission_id)


def is_time_up() -> bool:
    """Return whether the current task runs for a request that has waited long enough."""
    ends = _ends.get()
    return ends is not None and monotonic() > ends


@contextmanager
def turn_of_request(to_do: turns.Turns) -> Iterator[None]:
    """Hold a turn to check or score if a request waits for it; its time begins then. Raises turns.TooBusy.

    It should not be held while the disk or the database works.
    """
    if _ends.get() is None:
        yield
        return
    with to_do.take(PATIENCE):
        token = _ends.set(monotonic() + settings.REQUEST_SECONDS)
        try:
            yield
        finally:
            _ends.reset(token)


def pass_on() -> None:
    """Have a thread of the server take up a short task that a request found no turn for."""
    transaction.on_commit(has_work[Lane.SHORT].set)


def is_for_request(*, is_long: bool) -> bool:
    """Return whether a task queued now is done by this thread, which answers a request of the server."""
    return not (is_long or settings.WORKERS or _is_server.get()) and is_served.is_set()


@contextmanager
def working_for_request() -> Iterator[None]:
    """Do a task for a request, whose time begins now; without a turn, leave it to a thread of the server."""
    token = _ends.set(monotonic() + settings.REQUEST_SECONDS)
    try:
        yield
    except turns.TooBusy:
        pass_on()
    finally:
        _ends.reset(token)


def enqueue_statistics(*, board_id: int) -> None:
    """Queue the statistics of a leaderboard once the current transaction is committed.

    Queueing it too often is harmless: the task computes the statistics of the current rows, and does nothing
    where they are known. The caller waits for it only where no other process or thread could run it.
    """
    # Robust: the change is committed, whatever happens to its statistics.
    transaction.on_commit(lambda: _enqueue_statistics(board_id), robust=True)


@contextmanager
def deduplicated_statistics() -> Iterator[None]:
    """Queue the statistics of each leaderboard once at the end, however often it changes within."""
    boards: set[int] = set()
    token = _changed_boards.set(boards)
    try:
        yield
    finally:
        _changed_boards.reset(token)
        for board_id in boards:
            enqueue_statistics(board_id=board_id)


def _enqueue_statistics(board_id: int) -> None:
    changed = _changed_boards.get()
    if changed is not None:
        changed.add(board_id)
    elif settings.WORKERS:
        return
    elif is_served.is_set():
        changed_queue.put(board_id)
    else:
        tasks[Task.STATISTICS](board_id)


def serve(*, until: threading.Event) -> None:
    """Run queued tasks in threads of this process, one for each lane, until `until` is set."""
    works: dict[Lane, Callable[[threading.Event], None]] = {
        Lane.SHORT: partial(_work_on_submissions, Lane.SHORT),
        Lane.LONG: partial(_work_on_submissions, Lane.LONG),
        Lane.STATISTICS: _work_on_statistics,
    }
    threads = [
        threading.Thread(target=work, args=(until,), name=lane.name.lower(), daemon=True)
        for lane, work in works.items()
    ]
    is_served.set()
    try:
        for thread in threads:
            thread.start()
        until.wait()
    finally:
        is_served.clear()
        for thread in threads:
            thread.join()


def _work_on_submissions(lane: Lane, until: threading.Event) -> None:
    _is_server.set(True)
    look_at = monotonic()
    while not until.is_set():
        # Short ones are left to the requests that wait for them, until one of these passes its own on.
        is_time_to_look = lane == Lane.LONG and monotonic() >= look_at
        if has_work[lane].wait(_STOPS_WITHIN) or is_time_to_look:
            has_work[lane].clear()
            attempt(f"a {lane.name.lower()} submission", partial(_work_on_all, lane, until))
            connections.close_all()
            look_at = monotonic() + _LOOK_EVERY


def _work_on_all(lane: Lane, until: threading.Event) -> None:
    while not until.is_set() and tasks[Task.NEXT](is_long=lane == Lane.LONG):
        pass


def _work_on_statistics(until: threading.Event) -> None:
    _is_server.set(True)
    while not until.is_set():
        with suppress(queue.Empty):
            board_id = changed_queue.get(timeout=_STOPS_WITHIN)
            attempt(f"statistics of leaderboard {board_id}", partial(tasks[Task.STATISTICS], board_id))
            connections.close_all()
