"""The processes of workers: each runs the engine for one lane, and is replaced when it is killed."""

import asyncio
import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import monotonic
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import connections
from django.urls import reverse
from procrastinate import JobContext, PsycopgConnector
from procrastinate.contrib.django import DjangoApp, connector_params
from procrastinate.exceptions import ConnectorException
from psycopg_pool import PoolTimeout

from leaderboard import tasks
from leaderboard.database import patience
from leaderboard.monitoring import ids, reporting
from leaderboard.monitoring.withheld import describe
from leaderboard.services import outages
from leaderboard.services.engine import Job, Lane
from leaderboard.services.notifications import send
from leaderboard.services.processes import heartbeat, leases
from leaderboard.services.submissions import sweep

logger = logging.getLogger(__name__)

# How far workers stand back behind other processes of the machine, from 0 to 19: pages come before files.
_NICE = 5
# Seconds after which a process looks whether it has to end, and after which one that was killed is replaced.
_LOOK_EVERY, _REPLACE_AFTER = 0.5, 0.5
# Seconds after which the engine looks for jobs, even where PostgreSQL has announced none.
_POLL_EVERY = 1.0
_TASKS = {
    Job.TURN: tasks.take_turn,
    Job.STATISTICS: tasks.board_statistics,
    Job.RESCORE: tasks.rescore_board,
}
_ENDS = {signal.SIGTERM, signal.SIGINT}


def supervise(processes: Mapping[Lane, int]) -> None:
    """Run so many processes for each lane until this one is asked to end."""
    if settings.NOTIFIES:
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
            logger.warning(
                "a process of the lane %s ended with %s",
                lane,
                os.waitstatus_to_exitcode(status),
            )
            time.sleep(_REPLACE_AFTER)
            start(lane)


def _fork(lane: Lane) -> int:
    """Fork a process that works on a lane, and return its number."""
    parent = os.getpid()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            EngineProcess(lane, parent).run()
            code = 0
        except BaseException:
            logger.exception("a process of the lane %s failed", lane)
        finally:
            logging.shutdown()
            os._exit(code)
    return pid


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an error that nothing waits for, as where the end of a job could not be noted."""
    error = context.get("exception")
    if isinstance(error, ConnectorException):
        # Another process has the job by now, or gets it: this one stood still, or the database was away.
        logger.warning("the engine could not note the end of a job: %s", describe(error))
    else:
        loop.default_exception_handler(context)


class EngineProcess:
    """A process that works on the jobs of a lane, one at a time."""

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
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICE, os.getpriority(os.PRIO_PROCESS, 0)))
        patience.limit_locks()
        heartbeat.start(
            lanes=[self._lane],
            sweep=sweep.sweep,
            notify=send.notify,
            until=self._until,
        )
        asyncio.run(self._serve())

    def _note(self, number: int, frame: FrameType | None) -> None:
        # To set an event takes a lock, for which a second signal would wait for ever, within the first.
        self._is_asked_to_end = True

    async def _serve(self) -> None:
        asyncio.get_running_loop().set_exception_handler(_report)
        while not self._must_end():
            try:
                await self._run_engine()
            except (ConnectorException, PoolTimeout) as error:
                logger.warning("the engine was interrupted and begins again: %s", describe(error))
                await asyncio.sleep(_POLL_EVERY)

    async def _run_engine(self) -> None:
        async with self._app().open_async() as app:
            work = asyncio.create_task(
                app.run_worker_async(
                    name=self._lane,
                    queues=[self._lane],
                    concurrency=1,
                    fetch_job_polling_interval=_POLL_EVERY,
                    update_heartbeat_interval=leases.interval(),
                    stalled_worker_timeout=settings.LEASE_SECONDS,
                    delete_jobs="always",
                    install_signal_handlers=False,
                )
            )
            while not work.done() and not self._must_end():
                await asyncio.wait([work], timeout=_LOOK_EVERY)
            # It ends what it is doing.
            work.cancel()
            while not work.done():
                await asyncio.wait([work], timeout=_LOOK_EVERY)
                self._must_end()
            with suppress(asyncio.CancelledError):
                await work

    def _app(self) -> DjangoApp:
        connector = PsycopgConnector(
            kwargs=connector_params(), min_size=1, max_size=2, timeout=settings.LEASE_SECONDS
        )
        app = DjangoApp(connector=connector)
        for job, task in _TASKS.items():
            # A job that fails is not tried again: what it left undone is queued by the sweep.
            app.task(name=job, pass_context=True)(partial(self._work, task))
        return app

    def _work(self, task: Any, context: JobContext, request_id: str | None, **arguments: Any) -> None:
        self._began = monotonic()
        try:
            with (
                ids.bound(task_id=context.job.id, request_id=request_id),
                reporting.span_of_task(context.job.task_name, self._lane, request_id),
            ):
                task(**arguments)
        except Exception as error:
            if not outages.is_outage(error):
                raise
            # It passes by itself, and the sweep queues what it interrupted.
            logger.warning("a job of the lane %s was interrupted: %s", self._lane, describe(error))
        finally:
            self._began = None

    def _must_end(self) -> bool:
        """Return whether to end; end at once where a job takes longer than any may."""
        began = self._began
        if began is not None and monotonic() - began > settings.TASK_TIME_LIMIT:
            logger.error("a job of the lane %s took more than %s s", self._lane, settings.TASK_TIME_LIMIT)
            logging.shutdown()
            os._exit(1)
        if self._is_asked_to_end or os.getppid() != self._parent:
            self._until.set()
        return self._until.is_set()
