"""Ranks on the whole of a board."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count

from leaderboard.models import Benchmark, Kind, Standing
from leaderboard.services.record.cache import all_rows, remembered
from leaderboard.services.record.past import Moment, mixes_judges
from leaderboard.services.statistics import known as statistics
from leaderboard.services.statistics.known import WhyNot
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


def ranks(benchmark: Benchmark, moment: Moment | None = None) -> Ranks:
    """Return the ranks of the board, now or at `moment`."""
    together = mixes_judges(benchmark, moment)
    name = f"ranks:{together:d}"
    return remembered(benchmark, name, lambda: _worked_out(benchmark, moment, together), moment)


def ranks_of(
    benchmark: Benchmark, standings: Iterable[Standing], moment: Moment | None = None
) -> dict[int, int]:
    """Return primary key -> rank, for those of `standings` that have one."""
    known = ranks(benchmark, moment)
    found = {row.pk: known.of(row) for row in standings}
    return {key: rank for key, rank in found.items() if rank is not None}


def _worked_out(benchmark: Benchmark, moment: Moment | None, together: bool) -> Ranks:
    rows = all_rows(benchmark, moment).filter(score__isnull=False).exclude(kind=Kind.BASELINE)
    keys = ["score"] if together else ["judge", "score"]
    counted = rows.values_list(*keys).annotate(n=Count("pk")).order_by(*keys[:-1], "-score")
    scores: dict[str, array] = {}
    found: dict[str, array] = {}
    above: dict[str, int] = {}
    for *judge, score, number in counted:
        of = judge[0] if judge else ""
        scores.setdefault(of, array("d")).append(score)
        found.setdefault(of, array("L")).append(above.get(of, 0) + 1)
        above[of] = above.get(of, 0) + number
    # From the lowest, as a search by halves wants them.
    for known in (*scores.values(), *found.values()):
        known.reverse()
    return Ranks(is_mixed=together, scores=scores, ranks=found)


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


def places(benchmark: Benchmark, moment: Moment | None) -> Callable[[Standing], Place]:
    """Return what gives each row of the board its place, now or at `moment`. Nothing is worked out here."""
    known = statistics.known_by_judge(benchmark=benchmark, moment=moment)
    mixes = mixes_judges(benchmark, moment)

    def place_of(standing: Standing) -> Place:
        if standing.kind in _WITHOUT:
            return _WITHOUT[standing.kind]
        found = known.get("" if mixes else standing.judge)
        if found is None:
            return _UNKNOWN
        place = found.of(standing.system_id)
        if place is None:
            return Place(why_not=found.why_not(standing))
        p_next = found.p_next(standing.system_id)
        return Place(low=place.rank_low, high=place.rank_high, group=place.group, p_next=p_next)

    return place_of
