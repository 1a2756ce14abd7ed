"""Compute the best score of a board over time, and the systems that reached it.

Every published result counts, not only the best of its system. A rescored result has its current score and
the date of its publication here; a reported result has the date of its publication elsewhere. A new best
score must exceed the last one, not just equal it. Baselines do not count.

At a past event everything is as it was after that event.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, FloatField, Max, OuterRef, Q, QuerySet, RowRange, Subquery, Window
from django.db.models.functions import Cast, Coalesce, Least

from leaderboard.models import BoardAction, BoardEvent, Kind, Submission
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, select_rows
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.text import percent_range
from wardboard.scoring.benchmark import Metric
from wardboard.scoring.statistics import wilson_interval

_FIGURES = (
    *("evaluation__right", "evaluation__total", "evaluation__runs", "system_id"),
    *("evaluation__clustered_interval", "evaluation__judge", "evaluation__metrics", "evaluation__submission"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestScore:
    """A score that exceeded all earlier ones, and the system that reached it.

    at: when it was published
    score, low, high: in 0..1; the ends of its 95% interval are None without a known number of tasks
    kind: rescored or reported
    submission_id: of a rescored result; None for a reported one
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
    submission_id: str | None = None
    upper: float | None = None

    @property
    def score_words(self) -> str:
        """The score in print: 84.7%, or 75.0–88.0% where the judge left answers open."""
        return percent_range(self.score, self.upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestScoreHistory:
    """The best scores of a board by date.

    until: when the last result was published, whether or not it was the best; None without results
    judge: whose results count; None for the results of all judges, on a board that mixes them
    """

    scores: tuple[BestScore, ...]
    until: datetime | None
    judge: str | None


def list_best_scores(board_at: BoardAt) -> list[BestScore]:
    """Return the best scores of the compared judge by date, cached until the board changes."""
    return list(best_score_history(Query(board_at=board_at)).scores)


def best_score_history(query: Query) -> BestScoreHistory:
    """Return the best scores by date of the systems that match `query`.

    They are cached until the board changes.

    Only results by the judge of `query` count or, if it names none, by the compared judge.
    """
    board_at = query.board_at
    judge = query.judge or board_at.compared_judge
    name = f"best-scores:{judge}:{sorted(query.filters.items())}"
    return board_at.remember(name, lambda: _history(query, judge))


def _history(query: Query, judge: str | None) -> BestScoreHistory:
    board_at = query.board_at
    rules = board_at.lead_rules
    rows = select_rows(query).ranked().filter(rules.condition).order_by()
    if judge is not None:
        rows = rows.filter(judge=judge)
    results = _results_then(board_at) if board_at.is_past else _results_now(board_at)
    if judge is not None:
        results = results.filter(evaluation__judge=judge)
    # Without a filter all systems count, so no condition is needed.
    if query.is_filtered or rules:
        results = results.filter(system__in=rows.filter(kind=Kind.RESCORED).values("system"))
    return BestScoreHistory(
        scores=tuple(_rising([*_reported(rows), *_rescored(board_at, results)])),
        until=rows.aggregate(until=Max("since"))["until"],
        judge=judge,
    )


def _rising(scores: Iterable[BestScore]) -> Iterable[BestScore]:
    """Yield the scores that exceed all earlier ones; of several at one time, only the best."""
    best = -1.0
    for score in sorted(scores, key=lambda score: (score.at, -score.score)):
        if score.score > best:
            best = score.score
            yield score


def _exceeding_all_earlier(results: QuerySet[Any, Any], at: str) -> QuerySet[Any, Any]:
    """Return the results whose `rate` exceeds that of all earlier ones.

    The database compares them, so that few rows are read however large the board is.
    """
    before = Window(Max("rate"), order_by=[F(at).asc(), F("rate").desc()], frame=RowRange(start=None, end=-1))
    exceeds = Q(before__isnull=True) | Q(rate__gt=F("before"))
    exceeding: QuerySet[Any, Any] = results.annotate(before=before).filter(exceeds)
    return exceeding


def _reported(rows: QuerySet[Any, Any]) -> list[BestScore]:
    rows = _exceeding_all_earlier(rows.filter(kind=Kind.REPORTED).annotate(rate=F("score")), "since")
    columns = ("since", "score", "low", "high", "name", "system_id", "kind", "judge")
    return [
        BestScore(at=at, score=score, low=low, high=high, name=name, system_id=system, kind=kind, judge=judge)
        for at, score, low, high, name, system, kind, judge in rows.values_list(*columns)
    ]


def _rescored(board_at: RecordedBoard, results: QuerySet[Any, Any]) -> list[BestScore]:
    """Return the best among results from `_results_now` or `_results_then`."""
    results = results.annotate(rate=Cast("evaluation__right", FloatField()) / F("evaluation__total"))
    ranked = visibility.ranked_metric(board_at.board)
    rows = _exceeding_all_earlier(results, "reached_at").values_list("reached_at", "known_as", *_FIGURES)
    scores = [_best_score(ranked, row) for row in rows]
    if not board_at.is_past:
        return scores
    # A system that has been renamed since appears under its old name.
    past = board_at.rows.filter(system__in={score.system_id for score in scores})
    names = dict(past.values_list("system_id", "name"))
    return [replace(score, name=names.get(score.system_id, score.name)) for score in scores]


def _results_now(board_at: RecordedBoard) -> QuerySet[Any, Any]:
    """Return the published results."""
    results = Submission.objects.published().filter(board=board_at.board).order_by()
    return results.annotate(reached_at=F("published_at"), known_as=F("system__name"))


def _results_then(board_at: RecordedBoard) -> QuerySet[Any, Any]:
    """Return the last event of each result that was public at the event that is shown."""
    events_of_result = BoardEvent.objects.filter(
        submission=OuterRef("submission"), number__lte=board_at.number
    )
    changes = events_of_result.filter(action__in=(BoardAction.PUBLISHED, BoardAction.WITHDRAWN)).order_by(
        "-number"
    )
    # A result that was withdrawn, then disqualified and reinstated, is still withdrawn.
    results = (
        BoardEvent.objects.filter(board=board_at.board, number__lte=board_at.number, evaluation__isnull=False)
        .filter(~Exists(events_of_result.filter(number__gt=OuterRef("number"))))
        .exclude(action=BoardAction.DISQUALIFIED)
        .annotate(
            last_action=Subquery(changes.values("action")[:1]),
            last_action_at=Subquery(changes.values("at")[:1]),
        )
        .exclude(last_action=BoardAction.WITHDRAWN)
        .order_by()
    )
    # An event is written shortly after the publication, hence the earlier of both times. A result that was
    # published again has lost the time of its first publication, and one older than the log has no event.
    published_at = F("submission__published_at")
    reached_at = Least(Coalesce("last_action_at", published_at), published_at)
    return results.annotate(reached_at=reached_at, known_as=F("system_name"))


def _best_score(ranked: Metric, row: tuple[Any, ...]) -> BestScore:
    """Return a best score from its time, its name and `_FIGURES`."""
    at, name, right, total, runs, system, clustered, judge, metrics, submission = row
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
        submission_id=str(submission),
        upper=visibility.upper_end(ranked, right / total, metrics),
    )
