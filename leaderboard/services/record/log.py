"""What happened to a board, and to a system on it, for people: newest first, nothing taken out.

Only what everybody may know is in the record: nothing of results that were never published.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from leaderboard.models import (
    Benchmark,
    BoardAction,
    BoardEvent,
    PastStanding,
    Standing,
    Submission,
)
from leaderboard.services.record.past import Removal, removal_of, unlistings_of
from leaderboard.services.text import join_names

PAGE_SIZE = 50
NAMED = 5
LISTED = 500
# As importing writes it down.
_REVISION = re.compile(r"Rev\. (?P<number>\d+), sha256 (?P<digest>[0-9a-f]+)")
# Many at once come of one cause: they are one line of the log.
_GROUPED = (BoardAction.RESCORED, BoardAction.REPORTED, BoardAction.UNLISTED, BoardAction.BASELINE)
# After these a result stands, unless it was taken back since.
_STANDS_AFTER = (BoardAction.PUBLISHED, BoardAction.REINSTATED, BoardAction.RESCORED)
# These change the row of a system where the result is, or was, its best.
_MAY_STAY_BEHIND = (
    BoardAction.PUBLISHED,
    BoardAction.REINSTATED,
    BoardAction.WITHDRAWN,
    BoardAction.DISQUALIFIED,
)
_LISTED_AFTER = (BoardAction.REPORTED, BoardAction.BASELINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event. gone: why the result that it tells of stands no longer, None where it does. submission_id:
    while it is published only. before: its score in the row before, None where it was no row. stands: whether
    it is the row of today. now: the score of that row. after: what stood of the system right after, where the
    event changed its row; is_gone: nothing did. is_behind: another result of the system stood and stayed,
    with the score `stays`.
    """

    number: int
    at: datetime
    action: BoardAction
    system_id: int | None
    system_name: str
    reason: str
    right: int | None
    total: int | None
    score: float | None
    before: float | None
    submission_id: UUID | None
    stands: bool
    gone: Removal | None
    now: float | None = None
    after: float | None = None
    is_gone: bool = False
    is_behind: bool = False
    stays: float | None = None

    @property
    def is_taken_back(self) -> bool:
        """Whether it tells that a result was taken back, for which a reason is looked for."""
        return self.action in (BoardAction.WITHDRAWN, BoardAction.DISQUALIFIED)

    @property
    def what(self) -> str:
        """What happened, in a few words of the reader's language."""
        return _(str(self.action.label))

    @property
    def words(self) -> str:
        """The reason; what the service itself wrote is in the reader's language."""
        if self.action in (BoardAction.SETTINGS, BoardAction.FACTS):
            return join_names(_(word) for word in self.reason.split(", ") if word)
        if self.action == BoardAction.ACTIVATED and (found := _REVISION.fullmatch(self.reason)):
            return _("Rev. %(number)s, sha256 %(digest)s") % found.groupdict()
        return self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGroup:
    """Events of a kind that follow each other, newest first. count: of all. entries: up to NAMED of them.
    others: system and its name, of those that come next, up to LISTED."""

    count: int
    entries: Sequence[Entry]
    others: Sequence[tuple[int, str]] = ()

    @property
    def first(self) -> Entry:
        return self.entries[0]

    @property
    def unnamed(self) -> int:
        """How many are not among `entries`."""
        return self.count - len(self.entries)

    @property
    def unlisted(self) -> int:
        """How many are not among `others` either."""
        return self.unnamed - len(self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changelog:
    """A page of the log. page: for moving among pages."""

    groups: Sequence[EventGroup]
    page: Page[int]


def changelog(*, benchmark: Benchmark, page: str | int = 1) -> Changelog:
    """Return a page of what happened to the board; a page that is not there is the nearest that is."""
    heads = BoardEvent.objects.filter(benchmark=benchmark).filter(~Exists(_followed()))
    found = Paginator(heads.order_by("-number").values_list("number", flat=True), PAGE_SIZE).get_page(page)
    numbers = list(found.object_list)
    counts = _counts(heads, numbers)
    wanted = [top - i for top, count in counts.items() for i in range(min(NAMED, count))]
    events = BoardEvent.objects.filter(benchmark=benchmark, number__in=wanted).order_by("-number")
    by_number = {entry.number: entry for entry in _entries(benchmark, list(_with_score_before(events)))}
    names = _names(benchmark, counts)
    groups = [
        EventGroup(
            count=count,
            entries=[by_number[top - i] for i in range(min(NAMED, count))],
            others=[names[top - i] for i in range(NAMED, min(LISTED, count)) if top - i in names],
        )
        for top, count in counts.items()
    ]
    return Changelog(groups=groups, page=found)


def _names(benchmark: Benchmark, counts: Mapping[int, int]) -> dict[int, tuple[int, str]]:
    """Return the system and its name of the events that a line names only when it is opened."""
    spans = [Q(number__gt=top - min(LISTED, count), number__lte=top - NAMED) for top, count in counts.items()]
    long = [span for span, count in zip(spans, counts.values(), strict=True) if count > NAMED]
    if not long:
        return {}
    found = BoardEvent.objects.filter(reduce(or_, long), benchmark=benchmark, system__isnull=False)
    named = found.values_list("number", "system", "system_name")
    return {number: (system, name) for number, system, name in named if system is not None}


def events(*, benchmark: Benchmark, page: str | int = 1) -> tuple[Page[int], list[Entry]]:
    """Return a page of the log, event by event, for programs: nothing is put together."""
    numbers = BoardEvent.objects.filter(benchmark=benchmark).order_by("-number")
    found = Paginator(numbers.values_list("number", flat=True), PAGE_SIZE).get_page(page)
    wanted = BoardEvent.objects.filter(benchmark=benchmark, number__in=list(found.object_list))
    return found, _entries(benchmark, list(_with_score_before(wanted.order_by("-number"))))


def _followed() -> QuerySet[BoardEvent]:
    """Return the event after, where it goes into one line with this. Between two events of one kind the
    ground truth is the same: its change is an event too."""
    return BoardEvent.objects.filter(
        benchmark=OuterRef("benchmark"),
        number=OuterRef("number") + 1,
        action=OuterRef("action"),
        action__in=_GROUPED,
    )


def _counts(heads: QuerySet[BoardEvent], numbers: list[int]) -> dict[int, int]:
    """Return the number of each line's newest event -> how many events the line has."""
    if not numbers:
        return {}
    # Numbers have no gaps: a line ends where the next begins.
    below = heads.filter(number__lt=numbers[-1]).order_by("-number").values_list("number", flat=True).first()
    ends = [*numbers[1:], below or 0]
    return {top: top - end for top, end in zip(numbers, ends, strict=True)}


def _with_score_before(events: QuerySet[BoardEvent]) -> QuerySet[Any, Any]:
    rows = PastStanding.objects.filter(
        benchmark=OuterRef("benchmark"),
        system=OuterRef("system"),
        number__lt=OuterRef("number"),
        is_gone=False,
        evaluation__submission=OuterRef("submission"),
    )
    stood = PastStanding.objects.filter(
        benchmark=OuterRef("benchmark"), system=OuterRef("system"), number__lt=OuterRef("number")
    )
    own = PastStanding.objects.filter(
        benchmark=OuterRef("benchmark"), system=OuterRef("system"), number=OuterRef("number")
    )
    return events.annotate(
        before=Subquery(rows.order_by("-number").values("score")[:1]),
        after=Subquery(own.values("score")[:1]),
        went=Subquery(own.values("is_gone")[:1]),
        stood=Subquery(stood.order_by("-number").values("score")[:1]),
        row_of=Subquery(own.values("evaluation__submission")[:1]),
    )


def _entries(benchmark: Benchmark, events: Sequence[Any]) -> list[Entry]:
    results = Submission.objects.only(
        "system",
        "published_at",
        "withdrawn_at",
        "withdrawal_reason",
        "disqualified_at",
        "disqualification_reason",
    ).in_bulk([event.submission_id for event in events if event.submission_id])
    systems = {event.system_id for event in events if event.system_id}
    rows = Standing.objects.filter(benchmark=benchmark, system__in=systems)
    of_today = rows.values_list("system", "evaluation__submission", "score")
    listed = {system: (submission, score) for system, submission, score in of_today}
    unlisted = unlistings_of(benchmark, systems - listed.keys())
    return [_entry(event, results.get(event.submission_id), listed, unlisted) for event in events]


def _entry(
    event: Any,  # a BoardEvent with the annotations of `_with_score_before`
    result: Submission | None,
    listed: Mapping[int, tuple[UUID | None, float | None]],
    unlisted: Mapping[int, Removal],
) -> Entry:
    gone = None
    if result is not None:
        gone = removal_of(result) if event.action in _STANDS_AFTER else None
    elif event.action in _LISTED_AFTER:
        gone = unlisted.get(event.system_id)
    today, score = listed.get(event.system_id, (None, None))
    stands = result is not None and today == result.pk
    # None: the event left the row of its system as it was.
    is_changed = event.went is not None
    is_behind = result is not None and event.action in _MAY_STAY_BEHIND and not is_changed
    return Entry(
        number=event.number,
        at=event.at,
        action=BoardAction(event.action),
        system_id=event.system_id,
        system_name=event.system_name,
        reason=event.reason,
        right=event.right,
        total=event.total,
        score=event.score,
        before=event.before if event.action == BoardAction.RESCORED else None,
        submission_id=result.pk if result and result.is_published else None,
        stands=stands,
        gone=gone,
        now=score if stands else None,
        after=event.after if is_changed and not event.went else None,
        is_gone=bool(event.went),
        is_behind=is_behind,
        stays=event.stood if is_behind else None,
    )


_LOOKED_AT = 30  # events of a board
# What a reader of all boards cares for; of the others each board tells.
_TOLD = (
    BoardAction.PUBLISHED,
    BoardAction.WITHDRAWN,
    BoardAction.DISQUALIFIED,
    BoardAction.REINSTATED,
    BoardAction.RESCORED,
    BoardAction.ACTIVATED,
)
# Many of these come at once: the newest stands for them.
_ONCE = (BoardAction.RESCORED, BoardAction.ACTIVATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentChange:
    """A change, and the board that it was on."""

    benchmark: Benchmark
    entry: Entry


def latest(*, boards: Sequence[Benchmark], count: int = 6) -> list[RecentChange]:
    """Return the last `count` changes of `boards`, each with its `state`, newest first. One query."""
    by_key = {board.pk: board for board in boards if not board.is_demo}
    if not by_key:
        return []
    recent = reduce(
        or_,
        (Q(benchmark=board.pk, number__gt=board.state.number - _LOOKED_AT) for board in by_key.values()),
    )
    events = BoardEvent.objects.filter(recent, action__in=_TOLD).select_related("submission")
    found, seen = [], set()
    for event in events.order_by("-at", "-number"):
        if event.action in _ONCE:
            if (event.benchmark_id, event.action) in seen:
                continue
            seen.add((event.benchmark_id, event.action))
        found.append(RecentChange(benchmark=by_key[event.benchmark_id], entry=_latest_entry(event)))
        if len(found) == count:
            break
    return found


def _latest_entry(event: BoardEvent) -> Entry:
    result = event.submission
    took_back = event.action in (BoardAction.WITHDRAWN, BoardAction.DISQUALIFIED)
    return Entry(
        number=event.number,
        at=event.at,
        action=BoardAction(event.action),
        system_id=event.system_id,
        system_name=event.system_name,
        reason=event.reason,
        right=event.right,
        total=event.total,
        score=event.score,
        before=None,
        submission_id=result.pk if result and result.is_published else None,
        stands=False,
        gone=None if result is None or took_back else removal_of(result),
    )
