"""Ranks on the whole of a board."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from leaderboard.models import Kind, Standing
from leaderboard.services.boards.export_row import ExportRow
from leaderboard.services.record.board_at import RecordedBoard
from leaderboard.services.statistics.known import RankStatistics, WhyNot
from leaderboard.services.statistics.p_values import PValue

_NO_SCORES: array[float] = array("d")
_NO_RANKS: array[int] = array("L")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """The rank of every score of a board: one more than the number of better ranked rows of the same judge
    (of all rows where the board mixes judges), so equal scores share a rank.

    scores: judge ("" for all) -> its distinct scores in ascending order
    ranks: judge -> the rank of each

    Both are arrays, which are copied quickly even for 100,000 rows.
    """

    is_mixed: bool
    scores: Mapping[str, array[float]]
    ranks: Mapping[str, array[int]]

    def of(self, standing: Standing | ExportRow) -> int | None:
        """Return the rank of a row of the board; None without a score and for a baseline, which is not
        counted either."""
        if standing.score is None or standing.is_baseline:
            return None
        judge = "" if self.is_mixed else standing.judge
        scores = self.scores.get(judge, _NO_SCORES)
        ranks = self.ranks.get(judge, _NO_RANKS)
        place = bisect_left(scores, standing.score)
        if place < len(scores) and scores[place] == standing.score:
            return ranks[place]
        # A row that is newer than these ranks takes that of the next lower one.
        return ranks[place - 1] if place else None


def ranks(board: RecordedBoard) -> Ranks:
    """Return the ranks of the board."""
    return board.remember(f"ranks:{board.mixes_judges:d}", lambda: _work_out(board))


def _work_out(board: RecordedBoard) -> Ranks:
    together = board.mixes_judges
    rows = board.rows.ranked()
    keys = ["score"] if together else ["judge", "score"]
    counted = rows.values_list(*keys).annotate(n=Count("pk")).order_by(*keys[:-1], "-score")
    scores: dict[str, array[float]] = {}
    ranks_of: dict[str, array[int]] = {}
    above: dict[str, int] = {}
    for *judges, score, number in counted:
        judge = judges[0] if judges else ""
        scores.setdefault(judge, array("d")).append(score)
        ranks_of.setdefault(judge, array("L")).append(above.get(judge, 0) + 1)
        above[judge] = above.get(judge, 0) + number
    # From the lowest, as bisection needs them.
    for scores_of_judge in scores.values():
        scores_of_judge.reverse()
    for ranks_of_judge in ranks_of.values():
        ranks_of_judge.reverse()
    return Ranks(is_mixed=together, scores=scores, ranks=ranks_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The uncertainty of a rank.

    low, high: the 95% interval of the rank, None where nothing was tested
    group: the number of its tie group, 1 for the best
    why_not: why the row is not tested; None where it is, or where results are still being computed
    p_next: of the test against the next ranked row, Holm-adjusted over the table; None where that row is
        not tested
    """

    low: int | None = None
    high: int | None = None
    group: int | None = None
    why_not: WhyNot | None = None
    p_next: PValue | None = None

    @property
    def is_known(self) -> bool:
        return self.low is not None


_UNKNOWN = Place()
_UNTESTED: Mapping[str, Place] = {
    Kind.REPORTED: Place(why_not=WhyNot.REPORTED),
    Kind.BASELINE: Place(why_not=WhyNot.BASELINE),
}


def place_of(standing: Standing | ExportRow, known: RankStatistics | None) -> Place:
    """Return the place of a row. known: the statistics of its judge; None where nothing is worked out."""
    if untested := _UNTESTED.get(standing.kind):
        return untested
    if known is None:
        return _UNKNOWN
    place = known.of(standing.system_id)
    if place is None:
        return Place(why_not=known.why_not(standing))
    p_next = known.p_next(standing.system_id)
    return Place(low=place.rank_low, high=place.rank_high, group=place.group, p_next=p_next)
