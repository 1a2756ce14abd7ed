"""Find what the sentence at the head of a board says: who is first, and what supports it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.db.models import Max

from leaderboard.models import Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.ranks import CLOSE
from leaderboard.services.rows.lead_rules import upper_end_of
from leaderboard.services.statistics.rank_statistics import RankStatistics


class Claim(StrEnum):
    """What the sentence says of the first row.

    LEADS: no other system is tied with it. TIED: others are.
    TOO_FEW: fewer than two rows were tested. PENDING: the tests are still to be computed.
    NOTHING_SCORED: no row of the board was scored here.
    """

    LEADS = "leads"
    TIED = "tied"
    TOO_FEW = "too-few"
    PENDING = "pending"
    NOTHING_SCORED = "nothing-scored"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """What the sentence names of a row.

    score, upper: in 0..1; upper is the highest that it can have, above where a judge left tasks open
    tasks: that the score is over; None where that is not known. since: when it was published
    runs: of how many the score is the mean; None where that is not known
    """

    name: str
    score: float
    upper: float
    since: datetime
    tasks: int | None = None
    runs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the sentence at the head of a board says.

    tied: number of systems that are tied for first; 1 where that is not tested
    second: the highest lower and the highest upper end of the other scores, below the first; None where
        another row may have as high a score
    is_ahead: whether the first is significantly better than each that may be second; None where one was not
        tested
    uncompared: number of ranked rows that could not be tested
    judge: whose rows are compared, of several judges; None where all rows are
    """

    claim: Claim
    first: SummaryRow
    tied: int = 1
    second: tuple[float, float] | None = None
    is_ahead: bool | None = None
    uncompared: int = 0
    judge: str | None = None


def summary_of(query: Query) -> Summary | None:
    """Return the summary of the board, or of the judge that the reader chose.

    None if no row has a score, on a past board, of which nothing is tested, and for a choice of rows.
    """
    board_at = query.board_at
    if (board_at.is_past and not board_at.is_first_table) or query.filters.keys() - {"judge"}:
        return None
    judge = None if board_at.mixes_judges else query.judge or board_at.compared_judge
    return board_at.remember(f"summary:{judge}", lambda: _summary_of(board_at, judge))


def _summary_of(board_at: BoardAt, judge: str | None) -> Summary | None:
    is_scored = bool(board_at.census.kinds[Kind.RESCORED])
    reported = board_at.rows.filter(kind=Kind.REPORTED, score__isnull=False)
    rows = board_at.ranked_rows if is_scored else reported
    if judge is not None:
        rows = rows.filter(judge=judge)
    claims = board_at.statistics_for(judge)
    if claims is not None and claims.count > 1:
        summary = _tested(board_at, rows, claims)
    else:
        first = rows.best_first().first()
        if first is None:
            return None
        tested = board_at.ranked_rows.filter(evaluation__revision=board_at.board.active_revision_id)
        # As just after a change.
        is_pending = not board_at.statistics and len(tested.values_list("pk", flat=True)[:2]) > 1
        claim = Claim.PENDING if is_pending else Claim.TOO_FEW
        summary = Summary(claim=claim if is_scored else Claim.NOTHING_SCORED, first=_row_of(board_at, first))
    return replace(summary, judge=judge if len(board_at.census.judges) > 1 else None)


def _tested(board_at: BoardAt, rows: StandingQuerySet[Standing], claims: RankStatistics) -> Summary:
    """Return what the tests of all pairs say of `rows`."""
    rows = rows.annotate(upper_end=upper_end_of(visibility.ranked_metric(board_at.board).upper_key))
    first = _row_of(board_at, rows.get(system=claims.tied[0]))
    others = rows.exclude(system=claims.tied[0])
    ends = others.aggregate(low=Max("score"), high=Max("upper_end"))

    def reaching(least: float) -> Iterable[int]:
        return others.filter(upper_end__gte=least).values_list("system", flat=True)

    return summarise(claims, first, (ends["low"], ends["high"]), reaching)


def summarise(
    claims: RankStatistics,
    first: SummaryRow,
    ends: tuple[float | None, float | None],
    reaching: Callable[[float], Iterable[int]],
) -> Summary:
    """Return what the tests say of the first row.

    ends: the highest lower and the highest upper end of the other scores; None without others
    reaching: returns the systems of the others with an upper end of at least so much
    """
    (low, high), second, is_ahead = ends, None, None
    # Otherwise another row may have as high a score.
    if low is not None and high is not None and high < first.score - CLOSE:
        second = low, high
        tests = {claims.is_better(claims.tied[0], system) for system in reaching(low - CLOSE)}
        is_ahead = None if None in tests else tests == {True}
    return Summary(
        claim=Claim.LEADS if len(claims.tied) == 1 else Claim.TIED,
        first=first,
        tied=len(claims.tied),
        second=second,
        is_ahead=is_ahead,
        uncompared=claims.stored.uncompared,
    )


def _row_of(board_at: BoardAt, row: Standing) -> SummaryRow:
    score = row.score or 0.0
    upper = visibility.upper_end(visibility.ranked_metric(board_at.board), row.score, row.metrics)
    runs = row.evaluation.runs if row.evaluation else None
    tasks = row.total and row.total // (runs or 1)
    return SummaryRow(
        name=row.name, score=score, upper=upper or score, since=row.since, tasks=tasks, runs=runs
    )
