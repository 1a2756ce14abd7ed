"""Boards as they once stood, read from the append-only record.

What a table of the past shows is capped by the feedback level of today: a board that has become more
reserved does not tell by a date what it keeps back now. Whether different judges were ranked together is as
it was then (`Moment.event.mixes_judges`).
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, time

from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from leaderboard.models import (
    Benchmark,
    BoardAction,
    BoardEvent,
    BoardState,
    Kind,
    PastStanding,
    Standing,
    Submission,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A point of a board's record. number: of the last event until then, 0 before the record begins. at: what
    was asked for, or when the event was. event: that event (before the record: an unsaved one, with the
    settings of today). is_past: whether anything was recorded since."""

    number: int
    at: datetime
    event: BoardEvent
    is_past: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """Why a row of the past stands no longer. action: withdrawn, disqualified or unlisted."""

    action: BoardAction
    at: datetime
    reason: str


def state_of(benchmark: Benchmark) -> BoardState:
    """Return the board's counters, read now."""
    return BoardState.objects.get(benchmark=benchmark)


def moment_of(*, benchmark: Benchmark, said: str) -> Moment | None:
    """Return the moment that `said` names: a date (2026-11-01: its end, UTC), a time, or an event's number.

    None where it cannot be read, has not come yet, or names no event.
    """
    said = said.strip()
    if re.fullmatch(r"[0-9]{1,9}", said):
        event = BoardEvent.objects.filter(benchmark=benchmark, number=int(said)).first()
        return _moment(benchmark, event.at, event) if event else None
    at = _read_time(said)
    if at is None or at >= timezone.now():
        return None
    events = BoardEvent.objects.filter(benchmark=benchmark, at__lte=at)
    return _moment(benchmark, at, events.order_by("-at", "-number").first())


def is_today(said: str) -> bool:
    """Whether `said` is the date of today (UTC), whose board is the one of now."""
    return said.strip() == timezone.now().date().isoformat()


def first_event(benchmark: Benchmark) -> BoardEvent | None:
    """Return the event that the board's record begins with."""
    return BoardEvent.objects.filter(benchmark=benchmark).order_by("number").first()


def _moment(benchmark: Benchmark, at: datetime, event: BoardEvent | None) -> Moment:
    if event is None:
        # Not saved: nothing is known of the board then.
        event = BoardEvent(
            benchmark=benchmark,
            number=0,
            rows_number=0,
            at=at,
            action=BoardAction.BEGUN,
            mixes_judges=benchmark.mixes_judges,
            feedback=benchmark.feedback,
        )
    is_past = BoardEvent.objects.filter(benchmark=benchmark, number__gt=event.number).exists()
    return Moment(number=event.number, at=at, event=event, is_past=is_past)


def _read_time(said: str) -> datetime | None:
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", said):
            day = parse_date(said)
            return datetime.combine(day, time.max, tzinfo=UTC) if day else None
        # A plus that was not escaped comes as a space.
        at = parse_datetime(re.sub(r" (?=[0-9]{2}:?[0-9]{2}$)", "+", said) if "T" in said else said)
        if at is None:
            return None
        return at.astimezone(UTC) if timezone.is_aware(at) else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def mixes_judges(benchmark: Benchmark, moment: Moment | None) -> bool:
    """Whether rows of different judges are ranked together, today or then."""
    return moment.event.mixes_judges if moment else benchmark.mixes_judges


def rows_at(*, benchmark: Benchmark, moment: Moment | None) -> QuerySet:
    """Return the rows of the board: those of today, or those that held at `moment`, with the same fields."""
    if moment is None:
        return Standing.objects.filter(benchmark=benchmark)
    return _held(benchmark, moment)


def _held(benchmark: Benchmark, moment: Moment) -> QuerySet[PastStanding]:
    versions = PastStanding.objects.filter(benchmark=benchmark, number__lte=moment.number)
    # Of each system the last version, by key: events of a board are written one after another, so keys grow
    # with numbers. An index has all that this asks for.
    last = versions.order_by().values("system").annotate(last=Max("pk"))
    return PastStanding.objects.filter(pk__in=last.values("last"), is_gone=False)


def gone_since(*, benchmark: Benchmark, moment: Moment) -> dict[int, Gone]:
    """Return, by system, why results of the board at `moment` stand no longer."""
    rows = _held(benchmark, moment)
    taken_back = Q(withdrawn_at__isnull=False) | Q(disqualified_at__isnull=False)
    of_rows = rows.filter(evaluation__isnull=False).values("evaluation__submission")
    back = Submission.objects.filter(taken_back, benchmark=benchmark, pk__in=of_rows)
    gone = {submission.system_id: why_gone(submission) for submission in back}
    listed = Standing.objects.filter(benchmark=benchmark, system=OuterRef("system"))
    unlisted = rows.exclude(kind=Kind.RESCORED).filter(~Exists(listed)).values("system")
    return gone | unlisted_of(benchmark, unlisted)


def unlisted_of(benchmark: Benchmark, systems: Collection[int] | QuerySet) -> dict[int, Gone]:
    """Return when rows of `systems`, which are on the board no more, were last taken off."""
    events = BoardEvent.objects.filter(benchmark=benchmark, action=BoardAction.UNLISTED, system__in=systems)
    return {
        event.system_id: Gone(action=BoardAction.UNLISTED, at=event.at, reason=event.reason)
        for event in events.order_by("number")
    }


def why_gone(submission: Submission) -> Gone | None:
    """Return why a submission that was published stands no longer; None where it stands."""
    if submission.disqualified_at is not None:
        reason = submission.disqualification_reason
        return Gone(action=BoardAction.DISQUALIFIED, at=submission.disqualified_at, reason=reason)
    if submission.withdrawn_at is not None:
        reason = submission.withdrawal_reason
        return Gone(action=BoardAction.WITHDRAWN, at=submission.withdrawn_at, reason=reason)
    return None


def is_public(system_id: int) -> bool:
    """Whether the system was ever on a board; of others nothing may be told, not even that they are there."""
    return (
        Standing.objects.filter(system=system_id).exists()
        or PastStanding.objects.filter(system=system_id).exists()
    )
