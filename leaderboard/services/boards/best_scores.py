"""Compute the best score of a board over time, and the systems that reached it.

A published, rescored result counts if it was the entry of its system, with its current score and the date of
its publication here. Results that were reported elsewhere have a line of their own, with the dates of their
publication there. A new best score must exceed the last one, not just equal it.

A past board has the results that were published by then and still are, with their scores of today.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, FloatField, Max, OuterRef, Q, QuerySet, RowRange, Window
from django.db.models.functions import Cast

from leaderboard.models import Board, Kind, PastStanding, Submission
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, select_rows
from leaderboard.services.text import percent_range
from wardboard.scoring.benchmark import Metric
from wardboard.scoring.statistics import wilson_interval

_FEWEST = 5  # best scores: fewer would mislead as a chart
_FIGURES = (
    *("system__name", "evaluation__right", "evaluation__total", "evaluation__runs", "system_id"),
    *("evaluation__clustered_interval", "evaluation__judge", "evaluation__metrics"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestScore:
    """A score that exceeded all earlier ones, and the system that reached it.

    score, low, high: in 0..1; the ends of its 95% interval are None without a known number of tasks
    upper: the score with all answers right that a judge left open; None where it left none open
    """

    at: datetime
    score: float
    low: float | None
    high: float | None
    name: str
    system_id: int
    kind: str
    judge: str
    upper: float | None = None
    tasks: int | None = None

    @property
    def ends(self) -> tuple[float, float]:
        return self.score, self.score if self.upper is None else self.upper

    @property
    def score_words(self) -> str:
        """The score in print: 84.7%, or 75.0–88.0% where the judge left answers open."""
        return percent_range(self.score, self.upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestScoreHistory:
    """The best scores of a board by date.

    until: when the last result was published, whether or not it was the best; None without results
    is_reported: whether these were reported elsewhere, as no result that matches was rescored
    published: those that were reported elsewhere, beside rescored ones
    """

    scores: tuple[BestScore, ...]
    until: datetime | None
    is_reported: bool
    published: tuple[BestScore, ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether there are enough for a chart."""
        return bool(self.scores) and len(self.scores + self.published) >= _FEWEST


def list_best_scores(board_at: BoardAt) -> list[BestScore]:
    """Return the records: the best rescored scores of the compared judge by date."""
    history = best_score_history(Query(board_at=board_at))
    return [] if history.is_reported else list(history.scores)


def best_score_history(query: Query) -> BestScoreHistory:
    """Return the best scores by date of the systems that match `query`.

    They are cached until the board changes.

    Only results by the judge of `query` count or, if it names none, by the compared judge.
    """
    board_at = query.board_at
    judge = query.judge or board_at.compared_judge
    name = f"records:{judge}:{sorted(query.filters.items())}"
    return board_at.remember(name, lambda: _history(query, judge))


def _history(query: Query, judge: str | None) -> BestScoreHistory:
    board_at = query.board_at
    rows = select_rows(query).filter(score__isnull=False).order_by()
    entries = PastStanding.objects.filter(board=board_at.board, number__lte=board_at.number, is_gone=False)
    entries = entries.filter(system=OuterRef("system"), evaluation__submission=OuterRef("pk"))
    results = Submission.objects.published().filter(Exists(entries), board=board_at.board).order_by()
    if judge is not None:
        rows = rows.filter(judge=judge)
        results = results.filter(evaluation__judge=judge)
    verified = rows.filter(kind=Kind.RESCORED)
    # Without a filter all systems count, so no condition is needed.
    if query.is_filtered:
        results = results.filter(system__in=verified.values("system"))
    is_reported = not results.exists()
    results = results.filter(board_at.lead_rules.condition_on_file)
    if board_at.lead_rules:
        verified = verified.filter(board_at.lead_rules.condition)
        results = results.filter(system__in=verified.values("system"))
    reported = rows.filter(kind=Kind.REPORTED)
    published = tuple(_reported(reported))
    rows = reported if is_reported else verified
    return BestScoreHistory(
        scores=published if is_reported else tuple(_rescored(board_at.board, results)),
        until=rows.aggregate(until=Max("since"))["until"],
        is_reported=is_reported,
        published=() if is_reported else published,
    )


def _exceeding_all_earlier(results: QuerySet[Any, Any], at: str) -> QuerySet[Any, Any]:
    """Return the results whose `rate` exceeds that of all earlier ones, by date; of one time only the best.

    The database compares them, so that few rows are read however large the board is.
    """
    before = Window(Max("rate"), order_by=[F(at).asc(), F("rate").desc()], frame=RowRange(start=None, end=-1))
    exceeds = Q(before__isnull=True) | Q(rate__gt=F("before"))
    exceeding: QuerySet[Any, Any] = results.annotate(before=before).filter(exceeds).order_by(at)
    return exceeding


def _reported(rows: QuerySet[Any, Any]) -> list[BestScore]:
    rows = _exceeding_all_earlier(rows.annotate(rate=F("score"), at=F("since")), "at")
    columns = ("at", "score", "low", "high", "name", "system_id", "kind", "judge")
    return [BestScore(**row) for row in rows.values(*columns)]


def _rescored(board: Board, results: QuerySet[Any, Any]) -> list[BestScore]:
    results = results.annotate(rate=Cast("evaluation__right", FloatField()) / F("evaluation__total"))
    rows = _exceeding_all_earlier(results, "published_at").values_list("published_at", *_FIGURES)
    ranked, figure = visibility.ranked_metric(board), visibility.round_figure
    records: list[BestScore] = []
    for record in (_best_score(ranked, row) for row in rows):
        # One that prints the figure of the record before it merely ties with it.
        if not records or figure(record.score) > figure(records[-1].score):
            records.append(record)
    return records


def _best_score(ranked: Metric, row: tuple[Any, ...]) -> BestScore:
    """Return a best score from its time and `_FIGURES`."""
    at, name, right, total, runs, system, clustered, judge, metrics = row
    ends = (clustered["low"], clustered["high"]) if clustered else None
    low, high = ends or wilson_interval(right / runs, total / runs)
    return BestScore(
        at=at,
        score=right / total,
        low=low,
        high=high,
        name=name,
        system_id=system,
        kind=Kind.RESCORED,
        judge=judge,
        upper=visibility.upper_end(ranked, right / total, metrics),
        tasks=total // runs,
    )
