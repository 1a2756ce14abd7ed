"""The processes of workers: each does the work of one lane, and is replaced when it is killed."""

import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from types import FrameType

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, connections
from django.urls import reverse

from leaderboard import env
from leaderboard.database import base, patience
from leaderboard.models import RescoringOrder
from leaderboard.models.record import boards_without_statistics
from leaderboard.services.background import Lane
from leaderboard.services.files import child
from leaderboard.services.notifications import send
from leaderboard.services.processes import heartbeat
from leaderboard.services.seasons import reveal
from leaderboard.services.statistics import compute
from leaderboard.services.submissions import lanes, rescore, sweep

logger = logging.getLogger(__name__)

# Seconds after which a process looks whether it has to end, and after which one that was killed is replaced.
_LOOK_EVERY, _REPLACE_AFTER = 0.5, 0.5
# Seconds after which a process without work looks for some, and after which it does so after an error.
_POLL_EVERY, _REST = 0.5, 5.0
# Seconds for which a process leaves a board alone that gave it no statistics, and until when it does.
_REST_OF_BOARD = 15.0
_rest_until: dict[int, float] = {}
_ENDS = {signal.SIGTERM, signal.SIGINT}
# The connections that a process may have beside those of requests: work, heartbeat, sweep and emails.
_CONNECTIONS = 4
# PostgreSQL knows reserved_connections from 16 on.
_COUNT_CONNECTIONS = """
    SELECT current_setting('max_connections')::int, current_setting('superuser_reserved_connections')::int,
        coalesce(current_setting('reserved_connections', true)::int, 0),
        (SELECT coalesce(nullif(rolconnlimit, -1), 1000000) FROM pg_roles WHERE rolname = session_user),
        count(*) FILTER (WHERE usename = session_user), count(*) FILTER (WHERE application_name <> %s)
    FROM pg_stat_activity WHERE usesysid IS NOT NULL AND pid <> pg_backend_pid()
"""


def check_connections(processes: int) -> None:
    """Raise CommandError where so many processes could take connections of web servers; DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_CONNECTIONS, [base.OF_REQUESTS])
        most, kept, reserved, of_role, used, others = cursor.fetchone()
    # Two pools of them, for pages and for files, have the settings of this process.
    web = 2 * env.number("WEB_WORKERS", 2, least=1) * (settings.WEB_THREADS + _CONNECTIONS)
    web, needed = max(web, reserved), processes * _CONNECTIONS
    left = {"max_connections": most - kept - web - others, "CONNECTION LIMIT of the role": of_role - used}
    limit = min(left, key=left.__getitem__)
    if needed > left[limit]:
        raise CommandError(
            f"{processes} processes may take {needed} connections to PostgreSQL, and {limit} leaves "
            f"{max(0, left[limit])}. Of {most}, {kept} are for superusers and {web} for web servers (by "
            f"WEB_WORKERS and WEB_THREADS, or reserved_connections); others use {others}. "
            "Run fewer processes (--processes, --lanes), or raise that limit."
        )


def supervise(processes: Mapping[Lane, int]) -> None:
    """Run so many processes for each lane until this one is asked to end. Raises CommandError."""
    # That the database is away was logged when its tables were checked.
    with suppress(DatabaseError):
        check_connections(sum(processes.values()))
    # Emails have links to pages. What is loaded before the processes fork is in memory once.
    reverse("web:front")
    # Two processes cannot share a connection.
    connections.close_all()
    gc.freeze()
    children: dict[int, Lane] = {}
    is_ending = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal is_ending
        is_ending = True
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def start(lane: Lane) -> None:
        # Signals wait until the new process has its own handlers, and this one knows it: else it would go on.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
        if not is_ending:
            children[_fork(lane)] = lane
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)

    for number in _ENDS:
        signal.signal(number, end)
    for lane, count in processes.items():
        for _ in range(count):
            start(lane)
    while children:
        pid, status = os.wait()
        lane = children.pop(pid)
        if not is_ending:
            logger.warning("a process of the lane %s ended with %s", lane, os.waitstatus_to_exitcode(status))
            time.sleep(_REPLACE_AFTER)
            start(lane)


def _fork(lane: Lane) -> int:
    parent = os.getpid()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            LaneProcess(lane, parent).run()
            code = 0
        except BaseException:
            logger.exception("a process of the lane %s failed", lane)
        finally:
            logging.shutdown()
            os._exit(code)
    return pid


class LaneProcess:
    def __init__(self, lane: Lane, parent: int) -> None:
        self._lane, self._parent = lane, parent
        self._until = threading.Event()
        self._is_asked_to_end = False
        # When the present job began, by a clock that nobody can set.
        self._began: float | None = None

    def run(self) -> None:
        """Work until this process is asked to end, or the one that forked it is gone."""
        for number in _ENDS:
            # Ctrl+C reaches each process of the terminal.
            signal.signal(number, self._note)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
        # Stand back behind other processes of the machine, by 5 of 19: pages come before files.
        os.setpriority(os.PRIO_PROCESS, 0, max(5, os.getpriority(os.PRIO_PROCESS, 0)))
        patience.limit_locks()
        heartbeat.start(lanes=[self._lane], sweep=sweep.sweep, notify=send.notify, until=self._until)
        if self._lane != Lane.STATISTICS:
            child.start()
        work = threading.Thread(target=self._work, daemon=True)
        work.start()
        while work.is_alive():
            work.join(_LOOK_EVERY)
            self._look_whether_to_end()

    def _note(self, number: int, frame: FrameType | None) -> None:
        # To set an event takes a lock, for which a second signal would wait for ever, within the first.
        self._is_asked_to_end = True

    def _look_whether_to_end(self) -> None:
        """End after the present job where asked to; at once where it takes longer than any may."""
        began = self._began
        if began is not None and monotonic() - began > settings.TASK_TIME_LIMIT:
            logger.error("a job of the lane %s took more than %s s", self._lane, settings.TASK_TIME_LIMIT)
            logging.shutdown()
            os._exit(1)
        if self._is_asked_to_end or os.getppid() != self._parent:
            self._until.set()

    def _work(self) -> None:
        while not self._until.is_set():
            pauses = [self._do(job) for job in _JOBS[self._lane] if not self._until.is_set()]
            self._until.wait(max(pauses, default=0) if all(pauses) else 0)

    def _do(self, job: Callable[[], bool]) -> float:
        """Do a job; return the seconds until this process looks for work again, 0 where there was some."""
        found: list[bool] = []
        self._began = monotonic()
        # What fails the next round tries again, or the sweep frees it.
        is_done = heartbeat.attempt(f"a job of the lane {self._lane}", lambda: found.append(job()))
        self._began = None
        if not is_done:
            return _REST
        return 0 if any(found) else _POLL_EVERY


def _compute_statistics() -> bool:
    """Compute those of a board whose rows changed, but not while it is rescored; return whether any were.

    A board whose computation gives none, or fails, rests: it holds up no other.
    """
    rescored = RescoringOrder.objects.exclude(claim=None).values("board")
    for board_id in boards_without_statistics().exclude(board__in=rescored).values_list("board", flat=True):
        if monotonic() >= _rest_until.get(board_id, 0):
            _rest_until[board_id] = monotonic() + _REST_OF_BOARD
            if compute.compute_statistics(board_id=board_id):
                del _rest_until[board_id]
                return True
    return False


_JOBS: Mapping[Lane, Sequence[Callable[[], bool]]] = {
    Lane.SHORT: [partial(lanes.work_on_next, is_long=False)],
    Lane.LONG: [partial(lanes.work_on_next, is_long=True), rescore.work_on_order, reveal.work_on_next],
    Lane.STATISTICS: [_compute_statistics],
}
