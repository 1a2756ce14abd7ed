"""Read stored statistics on the certainty of ranks; `compute` makes them."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Protocol

from django.db import models
from django.db.models import F

from leaderboard.models import Board, BoardStatistics, Kind
from leaderboard.services import visibility
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics import disclosure
from leaderboard.services.statistics.p_values import PValue, visible_p
from leaderboard.services.statistics.stored import Neighbours, Results, unpack
from scoring.statistics.pairs import PairedTable


class TestableRow(Protocol):
    """The columns of a row that decide whether it is tested."""

    @property
    def kind(self) -> str: ...
    @property
    def system_id(self) -> int: ...
    @property
    def score(self) -> float | None: ...


class WhyNot(models.TextChoices):
    """Why a row is not tested task by task."""

    REPORTED = "reported", "Only its overall scores were published, not its per-task results."
    BASELINE = "baseline", "A baseline is shown for comparison, and is not ranked."
    OTHER_REFERENCES = "other-references", "It was scored against earlier reference answers."
    OTHER_JUDGE = "other-judge", "Another judge decided on its answers."
    BEYOND = "beyond", "It ranks below the systems that are compared on a leaderboard of this size."
    RULES = "rules", "It does not meet the rules of this leaderboard for a rank."
    UNCOUNTED = "uncounted", "The number of tasks behind its scores is not known."


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlace:
    """What the tests say about the rank of a system.

    better, worse: number of systems that are significantly better, or worse, Holm-adjusted over its own
        comparisons
    rank_low, rank_high: the 95% interval of its rank: 1 + better, and the number of systems - worse.
        rank_high is None where systems beyond those compared may come before it.
    is_tied_for_first: whether no system is significantly better, Holm-adjusted over all pairs
    shares_first: whether, besides, another system is tied for first
    group: number of its group, from 0: each system from the first of a group on is significantly worse than
        the first system of the group before, Holm-adjusted over all pairs
    is_below_tied: whether all systems that are tied for first are above it, so that some system is
        significantly better
    """

    better: int
    worse: int
    rank_low: int
    rank_high: int | None
    is_tied_for_first: bool
    shares_first: bool
    group: int
    is_below_tied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderFacts:
    """The systems that are tied for first, by tests at 5%, Holm-adjusted over all pairs.

    first: the first compared system, which is always among them
    lowest: the last of them in the order of the board
    tied: their number
    in_a_row: whether no other compared system ranks above `lowest`
    others: number of compared systems besides the first
    worse: number of those that are significantly worse than the first
    next, next_p: the highest of these, and the adjusted p of its test against the first; None without one
    uncompared: number of ranked rows that could not be compared
    left_out: number of rows beyond the most that are compared
    is_first_by_task: whether the first was scored here, task by task
    has_open: whether a judge left answers of some compared system open
    """

    first: int
    lowest: int
    tied: int
    in_a_row: bool
    others: int
    worse: int
    next: int | None
    next_p: PValue | None
    uncompared: int
    left_out: int
    is_first_by_task: bool
    has_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStatistics:
    """Results of the tests of all pairs of rows of one judge.

    judge: "" where the board mixes judges
    is_current: whether they are about the board of today
    systems: number of compared systems
    left_out: number of rows beyond the most that are compared
    tasks: their number
    is_clustered: whether the tests allow for clusters of tasks
    has_open: whether a judge left answers of some compared system open
    method: version of the method, raised when the same rows would get other figures
    digest: sha256 of all input
    """

    judge: str
    is_current: bool
    computed_at: datetime
    systems: int
    left_out: int
    tasks: int
    is_clustered: bool
    has_open: bool
    method: int
    digest: str
    _board: Board
    _results: Results
    _places: Mapping[int, int]
    _low_coverage: frozenset[int]

    def of(self, system_id: int) -> RankPlace | None:
        """Return the place of a system; None where it was not compared."""
        place, results = self._places.get(system_id), self._results
        if place is None:
            return None
        better, worse = results.better[place], results.worse[place]
        ranked = len(results.systems) + results.uncompared
        # The rows left out were not tested, so only a test against one above them bounds the rank.
        is_open = results.left_out > 0 and not worse
        tied = bisect_left(results.tied, place)
        is_tied_for_first = tied < len(results.tied) and results.tied[tied] == place
        return RankPlace(
            better=better,
            worse=worse,
            rank_low=1 + better,
            rank_high=None if is_open else ranked - worse,
            is_tied_for_first=is_tied_for_first,
            shares_first=is_tied_for_first and len(results.tied) > 1,
            group=bisect_right(results.group_starts, place),
            is_below_tied=place > results.tied[-1],
        )

    def why_not(self, row: TestableRow) -> WhyNot | None:
        """Return why `row` was not tested task by task; None where it was."""
        if row.kind == Kind.BASELINE:
            return WhyNot.BASELINE
        results, place = self._results, self._places.get(row.system_id)
        if place is None:
            is_low = row.score is not None and row.score <= results.last_score
            return WhyNot.BEYOND if results.left_out and is_low else WhyNot.UNCOUNTED
        by_rate = bisect_left(results.by_rate, place)
        if by_rate == len(results.by_rate) or results.by_rate[by_rate] != place:
            return None
        return WhyNot.OTHER_REFERENCES if row.kind == Kind.RESCORED else WhyNot.REPORTED

    def p_next(self, system_id: int) -> PValue | None:
        """Return the adjusted p of the system and the next; None if not compared, and for the last."""
        place = self._places.get(system_id)
        if place is None or place == len(self._places) - 1:
            return None
        test = self._results.below[place]
        return _visible(self._board, self._results, self._low_coverage, (place, place + 1), test)

    @property
    def firsts(self) -> list[int]:
        """The first system of each group."""
        return [self._results.systems[place] for place in (0, *self._results.group_starts)]

    @property
    def is_partial(self) -> bool:
        """Whether some ranked rows were not tested."""
        return bool(self._results.uncompared or self._results.left_out)

    @property
    def ties_in_a_row(self) -> bool:
        """Whether no other tested system ranks above the last one that is tied for first."""
        return self._results.tied[-1] == len(self._results.tied) - 1

    @property
    def finding(self) -> LeaderFacts:
        """The facts about the systems that are tied for first."""
        return leader_facts(self._board, self._results, self._low_coverage)


def leader_facts(board: Board, results: Results, low_coverage: frozenset[int]) -> LeaderFacts:
    """Return the facts about the systems that are tied for first.

    low_coverage: systems that answered too few tasks for exact figures to be shown
    """
    next_p = None
    if results.next is not None and results.next_test is not None:
        next_p = _visible(board, results, low_coverage, (0, results.next), results.next_test)
    return LeaderFacts(
        first=results.systems[0],
        lowest=results.systems[results.tied[-1]],
        tied=len(results.tied),
        in_a_row=results.tied[-1] == len(results.tied) - 1,
        others=len(results.systems) - 1,
        worse=results.worse_than_first,
        next=None if results.next is None else results.systems[results.next],
        next_p=next_p,
        uncompared=results.uncompared,
        left_out=results.left_out,
        is_first_by_task=0 not in results.by_rate,
        has_open=results.has_open,
    )


def _visible(
    board: Board,
    results: Results,
    low_coverage: frozenset[int],
    places: tuple[int, int],
    test: Neighbours,
) -> PValue:
    """Return the p of the systems at two places as far as it may be shown."""
    if test.counts is None:
        # p is a function of two published rates, but adjusted over pairs whose counts may be hidden.
        return visible_p(test.p, is_exact=visibility.by_group(board))
    # With open answers p follows from both tables, so each must be large enough.
    tables = [
        PairedTable(both, only_a, only_b, results.tasks - both - only_a - only_b)
        for both, only_a, only_b in (test.counts, *([] if test.worst is None else [test.worst]))
    ]
    has_low_coverage = not low_coverage.isdisjoint(results.systems[place] for place in places)
    is_shown = all(disclosure.shows_table(board, table) for table in tables)
    return visible_p(test.p, is_exact=not has_low_coverage and is_shown)


def statistics_by_judge(board_at: RecordedBoard) -> dict[str, RankStatistics]:
    """Return judge -> statistics of its rows; "" for all rows where the board mixes judges.

    A judge is missing if nothing is computed yet, if none of its rows can be tested, or on a past board that
    was skipped because several changes came at once, or computed by the method of an earlier release. It
    takes one query for each revision of the board, and two more for each judge the first time in a process.
    """
    board, as_of = board_at.board, board_at.as_of
    if as_of is not None and not as_of.number:
        return {}  # before the first event

    def read() -> list[BoardStatistics]:
        number = as_of.event.rows_number if as_of else F("board__state__rows_number")
        stored = BoardStatistics.objects.filter(board=board, number=number, method=BoardStatistics.METHOD)
        return list(stored.defer("payload").order_by("judge"))

    # Statistics that are stored later raise the revision of the board.
    rows = board_at.remember("statistics", read)
    low_coverage: frozenset[int] = frozenset()
    if rows and visibility.by_group(board) and disclosure.needs_coverage(board):
        low_coverage = board_at.remember(
            "low-coverage", lambda: disclosure.systems_of_low_coverage(board_at.rows)
        )
    return {row.judge: _statistics(board, row, low_coverage, is_current=not board_at.is_past) for row in rows}


def _statistics(
    board: Board, row: BoardStatistics, low_coverage: frozenset[int], *, is_current: bool
) -> RankStatistics:
    results, places = _load(row.pk, row.digest)
    return RankStatistics(
        judge=row.judge,
        is_current=is_current,
        computed_at=row.created_at,
        systems=row.systems,
        left_out=results.left_out,
        tasks=results.tasks,
        is_clustered=results.is_clustered,
        has_open=results.has_open,
        method=row.method,
        digest=row.digest,
        _board=board,
        _results=results,
        _places=places,
        _low_coverage=low_coverage,
    )


@lru_cache(maxsize=32)
def _load(key: int, digest: str) -> tuple[Results, Mapping[int, int]]:
    """Return stored results, which never change, and the place of each system."""
    # The digest is part of the cache key, so that a reused primary key never returns another row's results.
    row = BoardStatistics.objects.get(pk=key)
    # Of the rows with the same digest, only the first stores the results.
    first = BoardStatistics.objects.filter(board=row.board_id, digest=digest).earliest("pk")
    results = unpack(bytes(first.payload))
    return results, {system: place for place, system in enumerate(results.systems)}
