"""Records: who held the best score of a board from when.

Every published result counts, not only the best of its system: one that was rescored here by its evaluation
of today, at the date of its publication; one that was reported elsewhere at the date printed there. The
earlier keeps a record that is only equalled. Baselines hold none.

At a past moment all this is as it then was; but of results published before the record of the board begins
only those are known that were a row when it began, or of which it tells later.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, F, FloatField, Max, OuterRef, Q, QuerySet, RowRange, Subquery, Window
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Least

from leaderboard.models import (
    BoardAction,
    BoardEvent,
    Kind,
    Submission,
)
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, chosen
from leaderboard.services.record.board_at import RecordedBoard
from scoring.statistics import wilson_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class BestScore:
    """A best score and who held it. at: when it was published. score: 0..1, with the ends of its 95% interval
    where the number of tasks is known. kind: rescored or reported. submission_id: of a rescored one."""

    at: datetime
    score: float
    low: float | None
    high: float | None
    name: str
    system_id: int
    kind: str
    judge: str
    submission_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BestScoreHistory:
    """How the best score rose. held: records by date. until: when the last result was published, record or
    not; None without any. judge: whose verdicts they are; None: those of all, as the board mixes them."""

    held: tuple[BestScore, ...]
    until: datetime | None
    judge: str | None


def list_best_scores(board: BoardAt) -> list[BestScore]:
    """Return the records of the board by date, of the compared judge; kept until the board changes."""
    return list(best_score_history(Query(board=board)).held)


def best_score_history(query: Query) -> BestScoreHistory:
    """Return how the best score of the systems for `query` rose, of the judge that it names or else of the
    compared one; kept until the board changes.
    """
    board = query.board
    judge = query.judge or board.compared_judge
    parts = repr((judge, sorted(query.filters.items())))
    name = f"course:{hashlib.sha256(parts.encode()).hexdigest()[:32]}"
    return board.remember(name, lambda: _course(query, judge))


def _course(query: Query, judge: str | None) -> BestScoreHistory:
    board = query.board
    rows = chosen(query).ranked().order_by()
    if judge is not None:
        rows = rows.filter(judge=judge)
    # Without a filter all systems count, and no query need name them.
    systems = rows.filter(kind=Kind.RESCORED).values("system") if query.is_filtered else None
    rescored = _rescored_until if board.is_past else _rescored
    return BestScoreHistory(
        held=tuple(_rising([*_reported(rows), *rescored(board, judge, systems)])),
        until=rows.aggregate(until=Max("since"))["until"],
        judge=judge,
    )


def _rising(found: Iterable[BestScore]) -> Iterable[BestScore]:
    """Yield those that are above all before them. Of several of one moment only the best is a record."""
    best = -1.0
    for record in sorted(found, key=lambda record: (record.at, -record.score)):
        if record.score > best:
            best = record.score
            yield record


def _above_all_before(results: QuerySet, at: str) -> QuerySet:
    """Return those of `results`, which have a `rate`, that are above all before them. The database walks
    through them: what comes back is few, whatever the board's size."""
    before = Window(Max("rate"), order_by=[F(at).asc(), F("rate").desc()], frame=RowRange(start=None, end=-1))
    return results.annotate(before=before).filter(Q(before__isnull=True) | Q(rate__gt=F("before")))


def _reported(rows: QuerySet) -> list[BestScore]:
    rows = _above_all_before(rows.filter(kind=Kind.REPORTED).annotate(rate=F("score")), "since")
    named = ("since", "score", "low", "high", "name", "system_id", "kind", "judge")
    return [
        BestScore(at=at, score=score, low=low, high=high, name=name, system_id=system, kind=kind, judge=judge)
        for at, score, low, high, name, system, kind, judge in rows.values_list(*named)
    ]


def _rescored(board: RecordedBoard, judge: str | None, systems: QuerySet | None) -> list[BestScore]:
    results = Submission.objects.published().filter(benchmark=board.benchmark).order_by()
    if judge is not None:
        results = results.filter(evaluation__judge=judge)
    if systems is not None:
        results = results.filter(system__in=systems)
    results = results.annotate(rate=_rate("evaluation__right", "evaluation__total"))
    figures = ("evaluation__right", "evaluation__total", "system__name", "system_id", "evaluation__judge")
    rows = _above_all_before(results, "published_at").values_list("published_at", *figures, "pk")
    return [_record(row) for row in rows]


def _rescored_until(board: RecordedBoard, judge: str | None, systems: QuerySet | None) -> list[BestScore]:
    """Return what the last event of each result until then says of it, where it stood after that."""
    found = _of_events(board, judge, systems)
    # A system that was renamed since has the name that it then had.
    rows = board.rows.filter(system__in={record.system_id for record in found})
    names = dict(rows.values_list("system_id", "name"))
    return [replace(record, name=names.get(record.system_id, record.name)) for record in found]


def _of_events(board: RecordedBoard, judge: str | None, systems: QuerySet | None) -> list[BestScore]:
    number = board.as_of.number
    of_result = BoardEvent.objects.filter(submission=OuterRef("submission"), number__lte=number)
    put = of_result.filter(action__in=(BoardAction.PUBLISHED, BoardAction.WITHDRAWN)).order_by("-number")
    # What was withdrawn, then disqualified and reinstated, is withdrawn all the same.
    results = (
        BoardEvent.objects.filter(benchmark=board.benchmark, number__lte=number, evaluation__isnull=False)
        .filter(~Exists(of_result.filter(number__gt=OuterRef("number"))))
        .exclude(action=BoardAction.DISQUALIFIED)
        .annotate(put=Subquery(put.values("action")[:1]), put_at=Subquery(put.values("at")[:1]))
        .exclude(put=BoardAction.WITHDRAWN)
        .order_by()
    )
    if judge is not None:
        results = results.filter(evaluation__judge=judge)
    if systems is not None:
        results = results.filter(system__in=systems)
    # An event is written a moment after the publication. What was published again since has lost the time of
    # the first; what was published before there was a record has no event.
    published_at = F("submission__published_at")
    results = results.annotate(
        rate=_rate("right", "total"), since=Least(Coalesce("put_at", published_at), published_at)
    )
    figures = ("right", "total", "system_name", "system_id", "evaluation__judge", "submission")
    return [_record(row) for row in _above_all_before(results, "since").values_list("since", *figures)]


def _rate(right: str, total: str) -> Combinable:
    return Cast(right, FloatField()) / F(total)


def _record(row: tuple[datetime, int, int, str, int, str, UUID]) -> BestScore:
    at, right, total, name, system, judge, submission = row
    low, high = wilson_interval(right, total)
    return BestScore(
        at=at,
        score=right / total,
        low=low,
        high=high,
        name=name,
        system_id=system,
        kind=Kind.RESCORED,
        judge=judge,
        submission_id=str(submission),
    )
