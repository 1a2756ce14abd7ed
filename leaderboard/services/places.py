"""How sure the ranks of a board's rows are, as far as paired tests could say."""

from collections.abc import Callable
from dataclasses import dataclass

from leaderboard.models import Benchmark, Kind, Standing
from leaderboard.services.record.past import Moment, mixes_judges
from leaderboard.services.statistics import known as statistics
from leaderboard.services.statistics.known import WhyNot
from leaderboard.services.statistics.p_values import PValue


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
