"""Compute the rank of each row of a board, and its uncertainty."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Q

from leaderboard.models import Board, Kind, Standing
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.rows.export_row import ExportRow
from leaderboard.services.statistics.p_values import PValue
from leaderboard.services.statistics.rank_statistics import RankStatistics, WhyNot
from leaderboard.services.visibility import RoundedRate, VisibleResult

_NO_SCORES: array[float] = array("d")
# Different scores differ by more than this; a smaller difference is a floating-point error.
_CLOSE = 1e-9
_NO_RANKS: array[int] = array("L")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """The rank of every score of a board.

    A rank is one more than the number of ranked rows of the same judge with a higher score (of all judges if
    the board mixes them), so equal scores share a rank.

    scores: judge ("" for all) -> its distinct scores in ascending order
    ranks: judge -> the rank of each of these scores

    The values are arrays, since these are copied quickly even for 100,000 rows.
    """

    is_mixed: bool
    scores: Mapping[str, array[float]]
    ranks: Mapping[str, array[int]]

    def of(self, standing: Standing | ExportRow) -> int | None:
        """Return the rank of a row of the board; None without a score, and for a baseline."""
        if standing.score is None or standing.is_baseline:
            return None
        judge = "" if self.is_mixed else standing.judge
        scores = self.scores.get(judge, _NO_SCORES)
        ranks = self.ranks.get(judge, _NO_RANKS)
        index = bisect_left(scores, standing.score)
        if index < len(scores) and scores[index] == standing.score:
            return ranks[index]
        # A row that is newer than these ranks has the rank of the next lower score.
        return ranks[index - 1] if index else None


def ranks(board_at: RecordedBoard) -> Ranks:
    """Return the ranks of the board."""
    return board_at.remember(f"ranks:{board_at.mixes_judges:d}", lambda: _compute(board_at))


def _compute(board_at: RecordedBoard) -> Ranks:
    is_mixed = board_at.mixes_judges
    rows = board_at.ranked_rows
    keys = ["score"] if is_mixed else ["judge", "score"]
    counts = rows.values_list(*keys).annotate(n=Count("pk")).order_by(*keys[:-1], "-score")
    scores: dict[str, array[float]] = {}
    ranks_of: dict[str, array[int]] = {}
    above: dict[str, int] = {}
    for *judges, score, number in counts:
        judge = judges[0] if judges else ""
        scores.setdefault(judge, array("d")).append(score)
        ranks_of.setdefault(judge, array("L")).append(above.get(judge, 0) + 1)
        above[judge] = above.get(judge, 0) + number
    # The database returns the highest first, but bisection needs ascending scores.
    for scores_of_judge in scores.values():
        scores_of_judge.reverse()
    for ranks_of_judge in ranks_of.values():
        ranks_of_judge.reverse()
    return Ranks(is_mixed=is_mixed, scores=scores, ranks=ranks_of)


def ranks_within(
    board_at: RecordedBoard, *, judge: str, low: float, high: float, is_open: bool, system: int | None
) -> tuple[int, int, int]:
    """Return the best and the worst rank that a score from `low` to `high` would have, and of how many.

    Only published rows count, so it reveals nothing beyond the two scores.
    system: whose own row does not count; None where all rows do, so that it reveals nothing about the system.
    judge: that decided on the result. is_open: whether the score is below `high`, and never equal to it.
    """
    rows = board_at.ranked_rows
    if system is not None:
        rows = rows.exclude(system=system)
    if not board_at.mixes_judges:
        rows = rows.filter(judge=judge)
    above = Q(score__gte=high - _CLOSE) if is_open else Q(score__gt=high + _CLOSE)
    counts = rows.aggregate(
        all=Count("pk"),
        above=Count("pk", filter=above),
        above_low=Count("pk", filter=Q(score__gt=low + _CLOSE)),
    )
    return 1 + counts["above"], 1 + counts["above_low"], 1 + counts["all"]


def ranks_of_result(result: VisibleResult, board: Board, *, system: int | None) -> tuple[int, int, int]:
    """Return the best and the worst rank that the visible score of a result has, and of how many.

    system: whose own row does not count; None where all rows do.
    """
    if isinstance(result.overall, RoundedRate):
        low, high, is_open = _span(result.overall)
    else:
        low = high = result.overall.rate or 0.0
        is_open = False
    return ranks_within(
        RecordedBoard(board),
        judge=result.evaluation.judge,
        low=low,
        high=high,
        is_open=is_open,
        system=system,
    )


def _span(rounded: RoundedRate) -> tuple[float, float, bool]:
    """Return the ends between which the exact rate lies, and whether it is always below the upper end."""
    # The highest step includes all rates above it.
    is_highest = rounded.rate + rounded.step > 1 + 1e-9
    high = 1.0 if is_highest else rounded.rate + rounded.step / 2
    return max(0.0, rounded.rate - rounded.step / 2), high, not is_highest


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The uncertainty of a rank.

    low, high: the 95% interval of the rank, None if nothing was tested. Only `high` is None where systems
        beyond those compared may come before this one.
    better, worse: number of systems that are significantly better or worse, from which the interval follows
    is_tied_for_first: whether no system is significantly better; None if nothing was tested
    shares_first: whether, besides, another system is tied for first, so that a page can say "tied"
    group: number of its group, from 0: each system from the first of a group on is significantly worse than
        the first of the group before; None if nothing was tested
    is_below_tied: whether all systems that are tied for first are above it
    why_not: why the row was not tested task by task; None if it was, or while results are being computed
    p_next: of the test against the next compared row, Holm-adjusted over all pairs; None without a test
    """

    low: int | None = None
    high: int | None = None
    better: int = 0
    worse: int = 0
    is_tied_for_first: bool | None = None
    shares_first: bool = False
    group: int | None = None
    is_below_tied: bool = False
    why_not: WhyNot | None = None
    p_next: PValue | None = None

    @property
    def is_known(self) -> bool:
        return self.low is not None

    @property
    def span(self) -> str:
        """The interval of the rank in print: 1–5, or 3; 1950+ where its end is open; "" if not known."""
        if self.low is None:
            return ""
        if self.high is None:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


_UNKNOWN = Place()
_UNTESTED: Mapping[str, Place] = {
    Kind.REPORTED: Place(why_not=WhyNot.REPORTED),
    Kind.BASELINE: Place(why_not=WhyNot.BASELINE),
}


def place_of(standing: Standing | ExportRow, statistics: RankStatistics | None) -> Place:
    """Return the uncertainty of the rank of a row.

    statistics: of the row's judge; None if they have not been computed yet
    """
    if standing.is_baseline or (statistics is None and standing.is_reported):
        return _UNTESTED[standing.kind]
    if statistics is None:
        return _UNKNOWN
    why_not, tested = statistics.why_not(standing), statistics.of(standing.system_id)
    if tested is None:
        return Place(why_not=why_not)
    return Place(
        low=tested.rank_low,
        high=tested.rank_high,
        better=tested.better,
        worse=tested.worse,
        is_tied_for_first=tested.is_tied_for_first,
        shares_first=tested.shares_first,
        group=tested.group,
        is_below_tied=tested.is_below_tied,
        why_not=why_not,
        p_next=statistics.p_next(standing.system_id),
    )
