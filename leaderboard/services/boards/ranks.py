"""Compute the rank of each row of a board, and its uncertainty."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext_noop

from leaderboard.models import Board, Kind, Standing
from leaderboard.services import visibility
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.rows.export_row import ExportRow
from leaderboard.services.statistics.entrants import upper_end_of
from leaderboard.services.statistics.p_values import PValue
from leaderboard.services.statistics.rank_statistics import Claims, RankStatistics, WhyNot
from leaderboard.services.visibility import RoundedRate, VisibleResult

_NONE: array[float] = array("d")
# Different scores differ by more than this; a smaller difference is a floating-point error.
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """The rank of every score of a board.

    A rank is one more than the number of ranked rows of the same judge with a higher score (of all judges if
    the board mixes them), so equal scores share a rank. Where a judge left answers open, a score is a range,
    and the order of two rows whose ranges overlap is not known. So a row has the first and the last rank that
    it can have, whichever way open answers turn out (`open_answers.rank_bounds`).

    upper_key: of the metric that is the upper end of the score; "" where no judge leaves answers open
    lows, highs: judge ("" for all) -> the lower, or the upper, ends of its scores in ascending order

    The values are arrays, since these are copied quickly even for 100,000 rows.
    """

    is_mixed: bool
    upper_key: str
    lows: Mapping[str, array[float]]
    highs: Mapping[str, array[float]]

    def of(self, standing: Standing | ExportRow) -> tuple[int, int] | None:
        """Return the first and the last rank of a row; None without a score, and for a baseline."""
        if standing.score is None or standing.is_baseline:
            return None
        judge = "" if self.is_mixed else standing.judge
        low, high = _ends(standing.score, standing.metrics.get(self.upper_key))
        lows, highs = self.lows.get(judge, _NONE), self.highs.get(judge, _NONE)
        above = len(lows) - bisect_right(lows, high)
        # Its own upper end is among those above its lower one.
        may_be_above = len(highs) - bisect_right(highs, low) - (high > low)
        return 1 + above, 1 + max(above, may_be_above)


def print_rank(ends: tuple[int, int] | None) -> str:
    """Format a rank, from its first and last: 3, or 2–4 where open answers leave it open; "" for None."""
    if ends is None:
        return ""
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def ranks(board_at: RecordedBoard) -> Ranks:
    return board_at.remember(f"ranks:{board_at.mixes_judges:d}", lambda: _compute(board_at))


def _compute(board_at: RecordedBoard) -> Ranks:
    upper_key = visibility.ranked_metric(board_at.board).upper_key
    rows = board_at.ranked_rows.annotate(upper_end=upper_end_of(upper_key))
    ends = rows.order_by("score").values_list("judge", "score", "upper_end").annotate(n=Count("pk"))
    lows: dict[str, array[float]] = {}
    highs: dict[str, array[float]] = {}
    for judge, score, upper, number in ends.iterator():
        key = "" if board_at.mixes_judges else judge
        low, high = _ends(score or 0.0, upper)
        lows.setdefault(key, array("d")).extend([low] * number)
        highs.setdefault(key, array("d")).extend([high] * number)
    highs = {judge: array("d", sorted(values)) for judge, values in highs.items()}
    return Ranks(is_mixed=board_at.mixes_judges, upper_key=upper_key, lows=lows, highs=highs)


def _ends(score: float, upper: float | None) -> tuple[float, float]:
    """Return the ends of a score, without what rounding adds to the upper one."""
    return score, score if upper is None or upper <= score + _CLOSE else upper


def ranks_within(
    board_at: RecordedBoard, *, judge: str, low: float, high: float, is_open: bool, system: int | None
) -> tuple[int, int, int]:
    """Return the best and the worst rank that a score from `low` to `high` would have, and of how many.

    Only published rows count, so it reveals nothing beyond the two scores.
    system: whose own row does not count; None where all rows do, so that it reveals nothing about the system.
    judge: that decided on the result. is_open: whether the score is below `high`, and never equal to it.
    """
    upper_key = visibility.ranked_metric(board_at.board).upper_key
    rows = board_at.ranked_rows.annotate(upper_end=upper_end_of(upper_key))
    if system is not None:
        rows = rows.exclude(system=system)
    if not board_at.mixes_judges:
        rows = rows.filter(judge=judge)
    above = Q(score__gte=high - _CLOSE) if is_open else Q(score__gt=high + _CLOSE)
    counts = rows.aggregate(
        all=Count("pk"),
        above=Count("pk", filter=above),
        # What a judge left open may be right.
        above_low=Count("pk", filter=Q(score__gt=low + _CLOSE) | Q(upper_end__gt=low + _CLOSE)),
    )
    return 1 + counts["above"], 1 + counts["above_low"], 1 + counts["all"]


def ranks_of_result(result: VisibleResult, board: Board, *, system: int | None) -> tuple[int, int, int]:
    """Return the best and the worst rank that the visible score of a result has, and of how many.

    Open answers make the score a range, as they do for the row of the result (`Ranks.of`).

    system: whose own row does not count; None where all rows do.
    """
    if isinstance(result.overall, RoundedRate):
        low, high, is_open = _span(result.overall)
    else:
        low, high = _ends(result.overall.rate or 0.0, result.upper)
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
    """Return the ends between which the exact rate lies, and whether it is always below the upper end.

    It is the rate without the tasks that are set aside, all of which may be right, or wrong.
    """
    # The highest step includes all rates above it.
    is_highest = rounded.rate + rounded.step > 1 + 1e-9
    high = 1.0 if is_highest else rounded.rate + rounded.step / 2
    low, kept = rounded.rate - rounded.step / 2, rounded.total - rounded.aside
    low, high = (low * rounded.total - rounded.aside) / kept, high * rounded.total / kept
    return max(0.0, low), min(1.0, high), not is_highest and high <= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The uncertainty of a rank.

    low, high: the 95% interval of the rank; None if nothing was tested, and where only a part of the rows of
        the board is shown. Only `high` is None where systems beyond those compared may come before this one.
    better, worse: number of systems that are significantly better or worse, from which the interval follows
    is_tied_for_first: whether no system, of those shown, is significantly better, so that the interval begins
        at 1; None if nothing was tested
    shares_first: whether, besides, another system is tied for first, so that a page can say "tied"
    is_below_tied: whether all systems that are tied for first are above it
    why_not: why the row was not tested task by task; None if it was, or while results are being computed
    p_next: of the test against the next compared row, Holm-adjusted over all pairs; None without a test
    """

    low: int | None = None
    high: int | None = None
    better: int = 0
    worse: int | None = None
    is_tied_for_first: bool | None = None
    shares_first: bool = False
    is_below_tied: bool = False
    why_not: WhyNot | None = None
    p_next: PValue | None = None

    @property
    def is_known(self) -> bool:
        """Whether the rank has an interval."""
        return self.low is not None

    @property
    def is_tested(self) -> bool:
        return self.is_tied_for_first is not None

    @property
    def tie(self) -> str:
        """The mark of a row that is tied for first with another one, in English; "" for any other."""
        if not self.shares_first:
            return ""
        return gettext_noop("tied for 1st") if self.is_known else gettext_noop("tied for 1st of these")

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


def place_of(
    standing: Standing | ExportRow, statistics: RankStatistics | None, claims: Claims | None
) -> Place:
    """Return the uncertainty of the rank of a row.

    statistics: of the row's judge; None if they have not been computed yet
    claims: of `statistics`, about the rows that are shown
    """
    if standing.is_baseline or (statistics is None and standing.is_reported):
        return _UNTESTED[standing.kind]
    if statistics is None or claims is None:
        return _UNKNOWN
    why_not, tested = statistics.why_not(standing), claims.of(standing.system_id)
    if tested is None:
        return Place(why_not=why_not)
    return Place(
        low=tested.rank_low,
        high=tested.rank_high,
        better=tested.better,
        worse=tested.worse,
        is_tied_for_first=tested.is_tied_for_first,
        shares_first=tested.shares_first,
        is_below_tied=tested.is_below_tied,
        why_not=why_not,
        p_next=claims.p_next(standing.system_id),
    )
