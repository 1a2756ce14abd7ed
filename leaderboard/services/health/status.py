"""What works now, for everyone: parts of the service, how much waits, and recent failures of ours.

No team, file or address is named. Anyone who asks gets what was found within the last seconds, so that a rush
to the page costs nothing.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from time import monotonic

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError
from django.utils import timezone

from leaderboard.models import Board, JudgeMode, Status, Submission
from leaderboard.services.health.queues import Queue, Waiting, processes_by_lane, waiting_by_queue
from leaderboard.services.health.readiness import read_readiness
from leaderboard.services.judging.judge import is_llm_set_up
from leaderboard.services.submissions import grade

FAILURES_OF = timedelta(hours=24)
_OUR_FAULTS = (grade.OUR_FAULT, grade.NO_END)
# Seconds that something may wait before its part counts as slow.
_SLOW_AFTER = {Queue.SHORT: 120, Queue.LONG: 7200, Queue.STATISTICS: 300}
# Seconds for which an answer is given again, and for which it is kept while a new one is being found.
FRESH, _KEPT = 5, 120
_KEY = "service-status"
_cache = caches["pages"]
_asking = threading.Lock()


class State(StrEnum):
    """Whether a part of the service works."""

    WORKING = "working"
    SLOW = "slow"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """The state of each part at a time.

    judging: of the language model that judges; None where no leaderboard uses one.
    waiting, failed: None where the database does not answer. failed: through our fault, within FAILURES_OF.
    """

    at: datetime
    submitting: State = State.STOPPED
    scoring: State = State.STOPPED
    judging: State | None = None
    statistics: State = State.STOPPED
    waiting: Mapping[Queue, Waiting] | None = None
    failed: int | None = None

    @property
    def is_database_up(self) -> bool:
        """Whether the database answered."""
        return self.waiting is not None

    @property
    def worst(self) -> State:
        """The state of the part that works the least."""
        return _worst((self.submitting, self.scoring, self.judging, self.statistics))


def read_status(*, is_new: bool = False) -> ServiceStatus:
    """Return the status as it was found within the last seconds, or find it. is_new: in any case."""
    asked = monotonic()
    if kept := None if is_new else _kept(asked - FRESH):
        return kept
    # While one thread asks, which may take long, the others give the last answer, or wait for its.
    last = None if is_new else _kept(asked - _KEPT)
    if not _asking.acquire(blocking=last is None) and last:
        return last
    try:
        if status := _kept(asked):
            return status
        status = _find_status()
        _cache.set(_KEY, (monotonic(), status), _KEPT)
    finally:
        _asking.release()
    return status


def _kept(since: float) -> ServiceStatus | None:
    """Return what was found last, if that was not before `since`, by the monotonic clock."""
    found_at, status = _cache.get(_KEY) or (since - 1, None)
    return status if found_at >= since else None


def _find_status() -> ServiceStatus:
    now = timezone.now()
    readiness = read_readiness()
    submitting = State.STOPPED if readiness.database or readiness.storage else State.WORKING
    try:
        waiting = waiting_by_queue()
        working = processes_by_lane()
        our_faults = Submission.objects.filter(
            status=Status.FAILED, failure__in=_OUR_FAULTS, moved_at__gte=now - FAILURES_OF
        )
        return ServiceStatus(
            at=now,
            submitting=submitting,
            scoring=_worst(_state_of_lane(lane, working, waiting, now) for lane in (Queue.SHORT, Queue.LONG)),
            judging=_judging(waiting),
            statistics=_state_of_lane(Queue.STATISTICS, working, waiting, now),
            waiting=waiting,
            failed=our_faults.count(),
        )
    except DatabaseError:
        return ServiceStatus(at=now)


def _state_of_lane(
    lane: Queue,
    working: Mapping[str, int],
    waiting: Mapping[Queue, Waiting],
    now: datetime,
) -> State:
    # Without workers the process that answers also does the work.
    if settings.WORKERS and not working[lane]:
        return State.STOPPED
    is_late = waiting[lane].seconds(now) > _SLOW_AFTER[lane]
    return State.SLOW if is_late else State.WORKING


def _worst(states: Iterable[State | None]) -> State:
    present = set(states)
    return next(state for state in (State.STOPPED, State.SLOW, State.WORKING) if state in present)


def _judging(waiting: Mapping[Queue, Waiting]) -> State | None:
    """Return whether language models judge: slow while files wait for one."""
    if not Board.objects.exclude(judge_mode=JudgeMode.RULES).exists():
        return None
    if not is_llm_set_up():
        return State.STOPPED
    return State.SLOW if waiting[Queue.JUDGE].count else State.WORKING
