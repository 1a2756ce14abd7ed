"""Compute the rank of each row of a board, and its uncertainty."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Q

from leaderboard.models import Board, Kind, Standing
from leaderboard.services import visibility
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.rows.lead_rules import LeadRules, upper_end_of
from leaderboard.services.visibility import RoundedRate, VisibleResult
from wardboard.scoring.judging import leaves_open

_NONE: array[float] = array("d")
# Different scores differ by more than this; a smaller difference is a floating-point error.
CLOSE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """The rank of every score of a board.

    A rank is one more than the number of ranked rows of the same judge with a higher score (of all judges if
    the board mixes them), so equal scores share a rank. Where a judge left answers open, a score is a range,
    and the order of two rows whose ranges overlap is not known. So a row has the first and the last rank that
    it can have, whichever way open answers turn out.

    upper_key: of the metric that is the upper end of the score; "" where no judge leaves answers open
    lows, highs: judge ("" for all) -> the lower, or the upper, ends of its scores in ascending order

    The values are arrays, since these are copied quickly even for 100,000 rows.
    """

    is_mixed: bool
    upper_key: str
    lows: Mapping[str, array[float]]
    highs: Mapping[str, array[float]]

    def of(self, standing: Standing) -> tuple[int, int] | None:
        """Return the first and the last rank of a row; None for one that was not scored here."""
        if standing.score is None or standing.kind != Kind.RESCORED:
            return None
        return self.of_score(standing.judge, standing.score, standing.metrics.get(self.upper_key))

    def of_score(self, judge: str, score: float, upper: float | None) -> tuple[int, int]:
        """Return the first and the last rank of a score by `judge`. upper: its upper end, if it has one"""
        judge = "" if self.is_mixed else judge
        low, high = _ends(score, upper)
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


def compute_ranks(board_at: RecordedBoard) -> Ranks:
    """Return the ranks of the whole board."""
    upper_key = visibility.ranked_metric(board_at.board).upper_key
    rows = board_at.ranked_rows.annotate(upper_end=upper_end_of(upper_key))
    scores = rows.order_by().values_list("judge", "score", "upper_end").annotate(n=Count("pk"))
    return ranks_among(scores.iterator(), is_mixed=board_at.mixes_judges, upper_key=upper_key)


def ranks_among(
    scores: Iterable[tuple[str, float | None, float | None, int]], *, is_mixed: bool, upper_key: str = ""
) -> Ranks:
    """Return the ranks among `scores`: the judge, the score, its upper end, and how many rows have these."""
    ends: dict[str, list[tuple[float, float]]] = {}
    for judge, score, upper, number in scores:
        ends.setdefault("" if is_mixed else judge, []).extend([_ends(score or 0.0, upper)] * number)
    lows, highs = (
        {judge: array("d", sorted(pair[end] for pair in pairs)) for judge, pairs in ends.items()}
        for end in (0, 1)
    )
    return Ranks(is_mixed=is_mixed, upper_key=upper_key, lows=lows, highs=highs)


def _ends(score: float, upper: float | None) -> tuple[float, float]:
    """Return the ends of a score, without what rounding adds to the upper one."""
    return score, score if upper is None or upper <= score + CLOSE else upper


def ranks_of_result(result: VisibleResult, board: Board, *, system: int | None) -> dict[str, int]:
    """Return the `best` and the `worst` rank that the visible score of a result has, of how many `systems`.

    Open answers make the score a range, as they do for the row of the result (`Ranks.of`); where the range is
    hidden, as many may be open as a rank allows. Only published rows count, so it reveals nothing beyond the
    visible score.

    system: whose own row does not count; None where all rows do, so that it reveals nothing about the system
    """
    if isinstance(result.overall, RoundedRate):
        most_open = LeadRules.of(board).most_open if leaves_open(result.evaluation.judge) else 0.0
        low, high = result.overall.ends
        high = min(1.0, high + most_open)
    else:
        low, high = _ends(result.overall.rate or 0.0, result.upper)
    board_at = RecordedBoard(board)
    upper_key = visibility.ranked_metric(board).upper_key
    rows = board_at.ranked_rows.annotate(upper_end=upper_end_of(upper_key))
    if system is not None:
        rows = rows.exclude(system=system)
    if not board_at.mixes_judges:
        rows = rows.filter(judge=result.evaluation.judge)
    counts = rows.aggregate(
        best=Count("pk", filter=Q(score__gt=high + CLOSE)),
        # What a judge left open may be right.
        worst=Count("pk", filter=Q(score__gt=low + CLOSE) | Q(upper_end__gt=low + CLOSE)),
        systems=Count("pk"),
    )
    return {name: 1 + others for name, others in counts.items()}
