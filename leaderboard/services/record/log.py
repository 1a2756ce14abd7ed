"""The log of a board for its readers: every event, newest first.

All of it is public: it mentions no result that was never published.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from leaderboard.models import (
    Board,
    BoardAction,
    BoardEvent,
    PastStanding,
    Standing,
    Submission,
)
from leaderboard.services import visibility
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.record.past import Removal, removal_of, unlistings_of
from leaderboard.services.text import percent_range

PAGE_SIZE = 50
NAMED = 5
# These come in large numbers from one cause, so the log shows them on one line.
_GROUPED = (BoardAction.RESCORED, BoardAction.REPORTED, BoardAction.UNLISTED, BoardAction.BASELINE)
# After these a result is public, unless it was removed later.
_MAKE_PUBLIC = (BoardAction.PUBLISHED, BoardAction.REINSTATED, BoardAction.RESCORED)
_LIST_ROWS = (BoardAction.REPORTED, BoardAction.BASELINE)
_REMOVALS = (BoardAction.WITHDRAWN, BoardAction.DISQUALIFIED)
_SCORES = ("score", "score_before")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event, and what has become of its result.

    reason: what changed or why, in the reader's language but for the words of people; "" for none
    right, total, score: figures of the result at the event; None for an event without one
    score_before: of a rescored result, its score in the previous row; None if it was not the system's row
    submission_id: only while the submission is published
    removal: why the result is no longer public; None while it is
    is_on_board: whether the result is the system's row today
    is_rescored: whether it is the row, with another score
    upper_ends: of the two scores by their names: with all answers right that a judge left open; a
        score without any is missing
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
    score_before: float | None
    submission_id: UUID | None
    removal: Removal | None
    is_on_board: bool = False
    is_rescored: bool = False
    upper_ends: Mapping[str, float] = field(default_factory=dict)

    @property
    def words(self) -> Mapping[str, str]:
        """The scores in print by field: 84.7%, or 75.0–88.0% where a judge left answers open."""
        return {name: percent_range(getattr(self, name), self.upper_ends.get(name)) for name in _SCORES}

    @property
    def is_removal(self) -> bool:
        """Whether a result was withdrawn or disqualified, for which readers expect a reason."""
        return self.action in _REMOVALS

    @property
    def label(self) -> str:
        """The name of the action in the reader's language."""
        return _(str(self.action.label))


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGroup:
    """Consecutive events of one action, newest first, shown as one line.

    entries: the first of them, up to NAMED
    """

    count: int
    entries: Sequence[Entry]

    @property
    def first(self) -> Entry:
        return self.entries[0]

    @property
    def unnamed(self) -> int:
        """Number of events that are not among `entries`."""
        return self.count - len(self.entries)


def changelog(*, board: Board, page: str | int = 1) -> Page[Any]:
    """Return a page of the board's log, or the nearest page that exists; it holds an EventGroup each line."""
    heads = BoardEvent.objects.filter(board=board).filter(~Exists(_followed()))
    numbers_down: QuerySet[Any, Any] = heads.order_by("-number").values_list("number", flat=True)
    tops = Paginator(numbers_down, PAGE_SIZE).get_page(page)
    counts = _counts(heads, list(tops.object_list))
    numbers = [top - i for top, count in counts.items() for i in range(min(NAMED, count))]
    events = BoardEvent.objects.filter(board=board, number__in=numbers).order_by("-number")
    by_number = {entry.number: entry for entry in _entries(board, list(_with_scores(board, events)))}
    tops.object_list = [
        EventGroup(count=count, entries=[by_number[top - i] for i in range(min(NAMED, count))])
        for top, count in counts.items()
    ]
    return tops


def _followed() -> QuerySet[BoardEvent]:
    """Return the next event, if it shares a line with the outer one.

    Consecutive events of one action have the same ground truth, since its change is an event too.
    """
    return BoardEvent.objects.filter(
        board=OuterRef("board"),
        number=OuterRef("number") + 1,
        action=OuterRef("action"),
        action__in=_GROUPED,
    )


def _counts(heads: QuerySet[BoardEvent], numbers: list[int]) -> dict[int, int]:
    """Return the number of each line's newest event -> the number of events on the line."""
    if not numbers:
        return {}
    # Numbers have no gaps: a line ends where the next begins.
    below = heads.filter(number__lt=numbers[-1]).order_by("-number").values_list("number", flat=True).first()
    ends = [*numbers[1:], below or 0]
    return {top: top - end for top, end in zip(numbers, ends, strict=True)}


def _with_scores(board: Board, events: QuerySet[BoardEvent]) -> QuerySet[Any, Any]:
    """Annotate events with the scores of their results before them.

    score_before: of the event's own result, in its last row before the event
    metrics, metrics_before: of the event's own result, and of that score
    """
    of_system = PastStanding.objects.filter(board=OuterRef("board"), system=OuterRef("system"))
    before = of_system.filter(
        number__lt=OuterRef("number"), is_gone=False, evaluation__submission=OuterRef("submission")
    ).order_by("-number")
    own = of_system.filter(number=OuterRef("number"))
    return events.annotate(
        score_before=Subquery(before.values("score")[:1]),
        metrics=Coalesce("evaluation__metrics", Subquery(own.values("metrics")[:1])),
        metrics_before=Subquery(before.values("metrics")[:1]),
    )


def _entries(board: Board, events: Sequence[Any]) -> list[Entry]:
    results = Submission.objects.only(
        "system",
        "published_at",
        "withdrawn_at",
        "withdrawal_reason",
        "disqualified_at",
        "disqualification_reason",
    ).in_bulk([event.submission_id for event in events if event.submission_id])
    systems = {event.system_id for event in events if event.system_id}
    rows = Standing.objects.filter(board=board, system__in=systems)
    columns = rows.values_list("system", "evaluation__submission", "score")
    listed = {system: (submission, score) for system, submission, score in columns}
    unlisted = unlistings_of(board, systems - listed.keys())
    entries = []
    for event in events:
        result, removal = results.get(event.submission_id), None
        if result is not None:
            removal = removal_of(result) if event.action in _MAKE_PUBLIC else None
        elif event.action in _LIST_ROWS:
            removal = unlisted.get(event.system_id)
        listed_result, score = listed.get(event.system_id, (None, None))
        is_on_board = result is not None and listed_result == result.pk
        entry = _entry(
            board,
            event,
            result,
            removal,
            score_before=event.score_before if event.action == BoardAction.RESCORED else None,
            is_on_board=is_on_board,
            is_rescored=is_on_board and score != event.score,
        )
        entries.append(entry)
    return entries


def _entry(
    board: Board,
    event: Any,  # a BoardEvent with `metrics`, and with `metrics_before` where it has a score before
    result: Submission | None,
    removal: Removal | None,
    *,
    score_before: float | None = None,
    **place: bool,
) -> Entry:
    """Return an event as an entry. place: what is known of the row of its system today"""
    ranked = visibility.ranked_metric(board)
    ends = {"score": visibility.upper_end(ranked, event.score, event.metrics or {})}
    if score_before is not None:
        ends["score_before"] = visibility.upper_end(ranked, score_before, event.metrics_before or {})
    return Entry(
        number=event.number,
        at=event.at,
        action=BoardAction(event.action),
        system_id=event.system_id,
        system_name=event.system_name,
        reason=words_of(event),
        right=event.right,
        total=event.total,
        score=event.score,
        score_before=score_before,
        submission_id=result.pk if result and result.is_published else None,
        removal=removal,
        upper_ends={name: end for name, end in ends.items() if end is not None},
        **place,
    )


_RECENT = 30  # last events of a board
# Actions that matter to a reader of all boards; each board's own log has the others.
_NOTABLE = (
    BoardAction.PUBLISHED,
    BoardAction.WITHDRAWN,
    BoardAction.DISQUALIFIED,
    BoardAction.REINSTATED,
    BoardAction.RESCORED,
    BoardAction.ACTIVATED,
)
# These come in large numbers, so only the newest of each board is listed.
_LISTED_ONCE = (BoardAction.RESCORED, BoardAction.ACTIVATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentChange:
    """An entry and its board."""

    board: Board
    entry: Entry


def list_recent_changes(*, boards: Sequence[Board], count: int = 6) -> list[RecentChange]:
    """Return the last `count` notable changes of `boards`, newest first, in one query.

    boards: with their `state`; demonstrations are left out
    """
    by_key = {board.pk: board for board in boards if not board.is_demo}
    if not by_key:
        return []
    recent = reduce(
        or_,
        (Q(board=board.pk, number__gt=board.state.number - _RECENT) for board in by_key.values()),
    )
    events = BoardEvent.objects.filter(recent, action__in=_NOTABLE).order_by("-at", "-number")
    changes, seen = [], set()
    for event in events.select_related("submission").annotate(metrics=F("evaluation__metrics")):
        assert event.board_id is not None
        if event.action in _LISTED_ONCE:
            if (event.board_id, event.action) in seen:
                continue
            seen.add((event.board_id, event.action))
        board, result = by_key[event.board_id], event.submission
        removal = None if result is None or event.action in _REMOVALS else removal_of(result)
        changes.append(RecentChange(board=board, entry=_entry(board, event, result, removal)))
        if len(changes) == count:
            break
    return changes
