"""Ranks on the whole of a board."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """The rank of every score of a board: one and how many ranked rows of the same judge are better, so that
    equal ones share a rank. Where the board mixes judges, of all rows.

    scores: judge ("" for all) -> its different scores, from the lowest. ranks: their ranks. Arrays, so that
    those of 100,000 rows are copied in no time.
    """

    is_mixed: bool
    scores: Mapping[str, array]
    ranks: Mapping[str, array]

    def of(self, standing: Standing) -> int | None:
        """Return the rank of a row of the board; None without a score, and for a baseline, which has no rank
        and takes none from others."""
        if standing.score is None or standing.is_baseline:
            return None
        judge = "" if self.is_mixed else standing.judge
        scores, ranks = self.scores.get(judge, ()), self.ranks.get(judge, ())
        place = bisect_left(scores, standing.score)
        if place < len(scores) and scores[place] == standing.score:
            return ranks[place]
        # A row that came after these were worked out: the next lower one's, whose it takes.
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
    for values in (*scores.values(), *ranks_of.values()):
        values.reverse()
    return Ranks(is_mixed=together, scores=scores, ranks=ranks_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a row may stand: the 95% interval of its rank, and the number of its tie group (1 is the best).

    All None where nothing was tested; why_not: why it takes no part, None where that is not worked out yet.
    p_next: of the test against the next ranked row, after Holm's correction over the table; None where that
    takes no part.
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
_WITHOUT = {
    Kind.REPORTED: Place(why_not=WhyNot.REPORTED),
    Kind.BASELINE: Place(why_not=WhyNot.BASELINE),
}


def place_of(standing: Standing | ExportRow, known: RankStatistics | None) -> Place:
    """Return the place of a row. known: the statistics of its judge; None where nothing is worked out."""
    if standing.kind in _WITHOUT:
        return _WITHOUT[standing.kind]
    if known is None:
        return _UNKNOWN
    place = known.of(standing.system_id)
    if place is None:
        return Place(why_not=known.why_not(standing))
    p_next = known.p_next(standing.system_id)
    return Place(low=place.rank_low, high=place.rank_high, group=place.group, p_next=p_next)
