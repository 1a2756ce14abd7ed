"""Read stored statistics on the certainty of ranks; `compute` makes them."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Protocol

from django.db import models
from django.db.models import F

from leaderboard.models import Benchmark, BoardStatistics, Kind
from leaderboard.services import visibility
from leaderboard.services.record.board_at import RecordedBoard
from leaderboard.services.statistics import disclosure
from leaderboard.services.statistics.p_values import PValue, adjust_p_values, visible_p
from leaderboard.services.statistics.stored import Results, from_parts, left_out_of, unpack
from scoring.statistics.pairs import PairedTable, mcnemar_all
from scoring.statistics.resampling import Difference


class TestableRow(Protocol):
    """The columns of a row that decide whether it is tested."""

    @property
    def kind(self) -> str: ...
    @property
    def system_id(self) -> int: ...
    @property
    def score(self) -> float | None: ...


class WhyNot(models.TextChoices):
    """Why a row is not tested."""

    REPORTED = "reported", "Only its figures were published, not what it got right task by task."
    BASELINE = "baseline", "A baseline is shown for comparison, and is not ranked."
    OTHER_REFERENCES = "other-references", "It was scored against an earlier ground truth."
    OTHER_JUDGE = "other-judge", "Another judge decided on its answers."
    BEYOND = "beyond", "It stands below the systems that are compared on a board of this size."


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlace:
    """The 95% interval of a system's rank, and the number of its tie group, from 1."""

    rank_low: int
    rank_high: int
    group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPair:
    """A tested system and the next one below it, by primary key.

    table: None where the board's feedback level hides counts
    p_holm: Holm-adjusted over all such pairs of the board
    differences: visible metric -> the upper system's figure less the lower's
    """

    upper: int
    lower: int
    table: PairedTable | None
    p: PValue
    p_holm: PValue
    differences: Mapping[str, Difference | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderFacts:
    """Results of the unadjusted exact McNemar tests, at 5%, on the first tested system.

    others: number of other tested systems
    like_first: number of those that do not differ significantly from the first
    in_a_row: whether those rank directly below it
    are_alike: whether, besides, no two of them all differ significantly; None where that was not tested
    next, next_p: the highest system that differs significantly, and the p-value; None without one
    fixed: number of ranked rows that are not tested
    fixed_near: of these, how many rank no lower than the lowest of `like_first`, or than the first itself
    fixed_above: of these, how many rank no lower than the first itself
    left_out: number of rows beyond the maximum that is tested
    """

    first: int
    place: RankPlace
    others: int
    like_first: int
    in_a_row: bool
    are_alike: bool | None
    next: int | None
    next_p: PValue | None
    fixed: int
    fixed_near: int
    fixed_above: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unpacked:
    """Results and derived values, cached in the process, since a stored row never changes."""

    left_out: int
    results: Results
    place: Mapping[int, int]
    tables: list[PairedTable]
    p: list[float]
    gaps: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStatistics:
    """Results of paired tests and the bootstrap on the rows of one judge.

    judge: "" where the board mixes judges
    is_current: whether they are about the board of today
    systems: number of tested systems
    left_out: number of rows beyond the maximum, which only count for the ranks of the others
    tasks, resamples: their numbers
    method: version of the method, raised when the same rows would get other figures
    digest: sha256 of all input
    """

    judge: str
    is_current: bool
    computed_at: datetime
    systems: int
    left_out: int
    tasks: int
    resamples: int
    method: int
    digest: str
    _benchmark: Benchmark
    _unpacked: _Unpacked
    _low_coverage: frozenset[int]
    _p_holm: Sequence[PValue]

    def of(self, system_id: int) -> RankPlace | None:
        """Return the place of a system; None where it was not tested."""
        place = self._unpacked.place.get(system_id)
        return None if place is None else _place(self._unpacked.results, place)

    def group_of(self, system_id: int) -> list[int]:
        """Return the systems of its tie group, including itself, in the order of the board.

        Each but the first was tested against the first. Empty where the system was not tested.
        """
        results, place = self._unpacked.results, self._unpacked.place.get(system_id)
        if place is None:
            return []
        first = bisect_left(results.group, results.group[place])
        end = bisect_right(results.group, results.group[place])
        return list(results.systems[first:end])

    def why_not(self, row: TestableRow) -> WhyNot | None:
        """Return why `row`, of the same judge and time, was not tested; None where it was."""
        results = self._unpacked.results
        if row.kind != Kind.RESCORED:
            return WhyNot.BASELINE if row.kind == Kind.BASELINE else WhyNot.REPORTED
        if row.system_id in self._unpacked.place:
            return None
        is_low = row.score is not None and row.score <= results.last_right / results.tasks
        return WhyNot.BEYOND if results.is_cut and is_low else WhyNot.OTHER_REFERENCES

    def pair_below(self, system_id: int) -> BoardPair | None:
        """Return the system and the next tested one; None for the last one and if not tested."""
        place = self._unpacked.place.get(system_id)
        last = len(self._unpacked.place) - 1
        return None if place is None or place == last else self._pair(place)

    def p_next(self, system_id: int) -> PValue | None:
        """Return the adjusted p of the system and the next ranked row.

        None if either was not tested, or for the last row.
        """
        unpacked = self._unpacked
        place = unpacked.place.get(system_id)
        if place is None or place + 1 in unpacked.gaps or place == len(unpacked.place) - 1:
            return None
        return self._p_holm[place]

    @property
    def pairs(self) -> list[BoardPair]:
        """Each tested system with the next one below it, from the top."""
        return [self._pair(place) for place in range(len(self._unpacked.tables))]

    @property
    def finding(self) -> LeaderFacts:
        """The facts about the first tested system."""
        results = self._unpacked.results
        next_place = results.group.count(1) if results.steps else None
        next_p = None
        if next_place is not None:
            is_exact = _shows(
                self._benchmark,
                {results.systems[0], results.systems[next_place]} & self._low_coverage,
                _tables(results, results.steps[:1])[0],
            )
            next_p = visible_p(_p(results.steps[:1])[0], is_exact=is_exact)
        return LeaderFacts(
            first=results.systems[0],
            place=_place(results, 0),
            others=len(results.systems) - 1,
            like_first=results.like_first,
            in_a_row=results.like_last == results.like_first,
            are_alike=results.are_alike,
            next=None if next_place is None else results.systems[next_place],
            next_p=next_p,
            fixed=results.fixed,
            fixed_near=results.fixed_near,
            fixed_above=results.fixed_above,
            left_out=self.left_out,
        )

    def _pair(self, place: int) -> BoardPair:
        unpacked, benchmark = self._unpacked, self._benchmark
        p_holm = self._p_holm[place]
        is_exact = p_holm.exact is not None
        visible = {metric.key for metric in visibility.visible_metrics(benchmark)}
        return BoardPair(
            upper=unpacked.results.systems[place],
            lower=unpacked.results.systems[place + 1],
            table=unpacked.tables[place] if is_exact else None,
            p=visible_p(unpacked.p[place], is_exact=is_exact),
            p_holm=p_holm,
            differences={
                metric: _difference(listed[place])
                for metric, listed in unpacked.results.differences.items()
                if metric in visible and is_exact
            },
        )


def known_by_judge(board: RecordedBoard) -> dict[str, RankStatistics]:
    """Return judge -> statistics of its rows; "" for all rows where the board mixes judges.

    A judge is missing if nothing is computed yet, if none of its rows can be tested, or on a past board that
    was skipped because several changes came at once. Takes one query, and two more for each judge the first
    time in a process.
    """
    benchmark, as_of = board.benchmark, board.as_of
    if as_of is not None and not as_of.number:
        return {}  # before the first event
    number = as_of.event.rows_number if as_of else F("benchmark__state__rows_number")
    rows = list(
        BoardStatistics.objects.filter(benchmark=benchmark, number=number).defer("payload").order_by("judge")
    )
    low_coverage: frozenset[int] = frozenset()
    if rows and visibility.by_group(benchmark) and disclosure.needs_coverage(benchmark):
        low_coverage = board.remember("low-coverage", lambda: disclosure.systems_of_low_coverage(board.rows))
    return {
        row.judge: _statistics(benchmark, row, low_coverage, is_current=not board.is_past) for row in rows
    }


def _statistics(
    benchmark: Benchmark, row: BoardStatistics, low_coverage: frozenset[int], *, is_current: bool
) -> RankStatistics:
    unpacked = _load(row.pk, row.digest)
    exact = [
        _shows(benchmark, low_coverage.intersection(unpacked.results.systems[place : place + 2]), table)
        for place, table in enumerate(unpacked.tables)
    ]
    return RankStatistics(
        judge=row.judge,
        is_current=is_current,
        computed_at=row.created_at,
        systems=row.systems,
        left_out=unpacked.left_out,
        tasks=unpacked.results.tasks,
        resamples=unpacked.results.resamples,
        method=unpacked.results.method,
        digest=row.digest,
        _benchmark=benchmark,
        _unpacked=unpacked,
        _low_coverage=low_coverage,
        _p_holm=adjust_p_values(unpacked.p, exact),
    )


def _shows(benchmark: Benchmark, low_coverage: Set[int], table: PairedTable) -> bool:
    """Return whether the table and the exact p of two systems are shown.

    low_coverage: those of the two that answered too few tasks
    """
    return not low_coverage and disclosure.shows_table(benchmark, table)


@lru_cache(maxsize=32)
def _load(key: int, digest: str) -> _Unpacked:
    # The digest is part of the cache key, so that a reused primary key never returns another row's results.
    row = BoardStatistics.objects.get(pk=key)
    # Of the rows with the same digest, only the first stores the results.
    first = BoardStatistics.objects.filter(benchmark=row.benchmark_id, digest=digest).earliest("pk")
    results = unpack(bytes(first.payload))
    p = _p(results.below)
    return _Unpacked(
        left_out=left_out_of(bytes(row.payload)),
        results=results,
        place={system: place for place, system in enumerate(results.systems)},
        tables=_tables(results, results.below),
        p=p,
        gaps=frozenset(results.gaps),
    )


def _tables(results: Results, counts: Sequence[Sequence[int]]) -> list[PairedTable]:
    return [
        PairedTable(both, only_a, only_b, results.tasks - both - only_a - only_b)
        for both, only_a, only_b in counts
    ]


def _p(counts: Sequence[Sequence[int]]) -> list[float]:
    """Return the exact p-value of each [both right, only the upper, only the lower]."""
    p = mcnemar_all([upper for _, upper, _ in counts], [lower for _, _, lower in counts])
    return [float(value) for value in p]


def _difference(parts: Sequence[int] | None) -> Difference | None:
    return None if parts is None else Difference(*from_parts(parts))


def _place(results: Results, place: int) -> RankPlace:
    return RankPlace(rank_low=results.low[place], rank_high=results.high[place], group=results.group[place])
