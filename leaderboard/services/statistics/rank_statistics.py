"""Read stored statistics on the certainty of ranks; `compute` makes them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Protocol

from django.db import models
from django.db.models import F, OuterRef, Subquery

from leaderboard.models import Board, BoardEvent, BoardStatistics, Kind
from leaderboard.services import visibility
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics import disclosure
from leaderboard.services.statistics.lead import HeldLead, results_of
from leaderboard.services.statistics.p_values import PValue, visible_p
from leaderboard.services.statistics.stored import Neighbours, Results
from wardboard.scoring.statistics.pairs import PairedTable


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

    REPORTED = "reported", "Wardboard has no results by task of it."
    BASELINE = "baseline", "A baseline is shown for comparison, and is not ranked."
    OTHER_REFERENCES = "other-references", "It was scored against earlier reference answers."
    OTHER_JUDGE = "other-judge", "Another judge decided on its answers."
    BEYOND = "beyond", "It ranks below the systems that are compared on a leaderboard of this size."
    RULES = "rules", "It does not meet the rules of this leaderboard for a rank."
    UNCOUNTED = "uncounted", "The number of tasks behind its scores is not known."


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlace:
    """What the tests claim about the rank of a system.

    better, worse: number of systems that are significantly better, or worse
    rank_low, rank_high: the 95% interval of its rank: 1 + better, and the number of systems - worse.
        rank_high is None where systems beyond those compared may come before it. None, as is `worse`, where
        the claims are about a part of the rows, since a rank is among all.
    is_tied_for_first: whether no system is significantly better, so that the interval of its rank begins at 1
    shares_first: whether, besides, another system is tied for first
    is_below_tied: whether all systems that are tied for first are above it, so that, as for each tested
        system further down, some system is significantly better
    """

    better: int
    worse: int | None
    rank_low: int | None
    rank_high: int | None
    is_tied_for_first: bool
    shares_first: bool
    is_below_tied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderFacts:
    """The systems that are tied for first: those than which no other is significantly better.

    first: the first compared system, which is always among them
    tied: their number
    others: number of compared systems besides the first
    uncompared: number of ranked rows that could not be compared
    is_first_by_task: whether the first was scored here, task by task
    lead: since when the first has been significantly better than each other; None where it is not, where that
        is not known, and for a part of the rows
    """

    first: int
    tied: int
    others: int
    uncompared: int
    is_first_by_task: bool
    lead: HeldLead | None = None


class ReadResults:
    """Stored results, with the bits of `better` as numbers, and the place of each system."""

    def __init__(self, stored: Results) -> None:
        self.stored = stored
        self.places = {system: place for place, system in enumerate(stored.systems)}
        self.better = [int(bits, 16) for bits in stored.better]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some of the rows of one judge, as chosen by filters, or those of a past board that still stand.

    compared: the places of those that were compared, as bits
    uncompared, left_out: number of the others, as for `stored.Results`
    """

    compared: int
    uncompared: int
    left_out: int


@dataclass(frozen=True, kw_only=True)
class Claims:
    """All that the tests claim about the order of the rows of one judge, or of a part of these.

    Every statement is read from here: head sentence, marks, intervals, lines, counts and exports. All of them
    follow from one relation, "significantly better" (`rank_claims`), between pairs of rows. It is of the
    whole board, so a part of its rows only leaves out the claims about the others: no choice of rows changes
    what is claimed about a pair.

    lead: since when the first of all rows has been significantly better than each other, where that is known
    part: the rows that the claims are about; None for all
    """

    board: Board
    results: ReadResults
    low_coverage: frozenset[int]
    lead: HeldLead | None = None
    part: Part | None = None

    @property
    def count(self) -> int:
        """The number of compared rows."""
        return self._chosen.bit_count()

    @property
    def _chosen(self) -> int:
        return (1 << len(self.results.better)) - 1 if self.part is None else self.part.compared

    @property
    def uncompared(self) -> int:
        """The number of ranked rows whose number of tasks is not known."""
        return self.results.stored.uncompared if self.part is None else self.part.uncompared

    @property
    def left_out(self) -> int:
        """The number of rows beyond the most that are compared."""
        return self.results.stored.left_out if self.part is None else self.part.left_out

    @property
    def is_partial(self) -> bool:
        """Whether some ranked rows were not tested."""
        return bool(self.uncompared or self.left_out)

    @cached_property
    def _tied(self) -> list[int]:
        """The places of the rows that are tied for first, in ascending order."""
        chosen, better = self._chosen, self.results.better
        return [place for place in _bits_of(chosen) if not better[place] & chosen]

    def of(self, system_id: int) -> RankPlace | None:
        """Return what is claimed about the rank of a system; None where it was not compared."""
        place, chosen, stored = self.results.places.get(system_id), self._chosen, self.results.stored
        if place is None or not chosen >> place & 1:
            return None
        better = (self.results.better[place] & chosen).bit_count()
        worse = None if self.part else stored.worse[place]
        # The rows left out were not tested, so only a test against one above them bounds the rank; and with
        # open answers it may not be above them.
        is_open = stored.left_out > 0 and (not worse or stored.has_open)
        return RankPlace(
            better=better,
            worse=worse,
            rank_low=None if worse is None else 1 + better,
            rank_high=None if worse is None or is_open else self.count + stored.uncompared - worse,
            is_tied_for_first=not better,
            shares_first=not better and len(self._tied) > 1,
            is_below_tied=place > self._tied[-1],
        )

    def better_of(self, a: int, b: int) -> int | None:
        """Return which of two compared systems is significantly better; None for neither of them.

        Raises KeyError where one of them was not compared.
        """
        places, better = self.results.places, self.results.better
        if better[places[a]] >> places[b] & 1:
            return b
        return a if better[places[b]] >> places[a] & 1 else None

    def is_better(self, a: int, b: int) -> bool | None:
        """Return whether system `a` is significantly better than `b`; None where either was not compared."""
        return self.better_of(a, b) == a if {a, b} <= self.results.places.keys() else None

    def next_of(self, system_id: int) -> int | None:
        """Return the key of the next system that was compared; None where `p_next` is."""
        place = self.results.places.get(system_id)
        if self.part or place is None or place == len(self.results.places) - 1:
            return None
        return self.results.stored.systems[place + 1]

    def p_next(self, system_id: int) -> PValue | None:
        """Return the adjusted p of the system and the next.

        None if not compared, for the last, and for a part of the rows, in which another one may be next.
        """
        place = self.results.places.get(system_id)
        if self.part or place is None or place == len(self.results.places) - 1:
            return None
        return self._visible((place, place + 1), self.results.stored.below[place])

    @property
    def facts(self) -> LeaderFacts | None:
        """The facts about the systems that are tied for first; None if fewer than two rows were compared."""
        if self.count < 2:
            return None
        systems = self.results.stored.systems
        first, *others = _bits_of(self._chosen)
        return LeaderFacts(
            first=systems[first],
            tied=len(self._tied),
            others=len(others),
            uncompared=self.uncompared,
            is_first_by_task=first not in self.results.stored.by_rate,
            lead=None if self.part else self.lead,
        )

    def _visible(self, places: tuple[int, int], test: Neighbours) -> PValue:
        """Return the p of the systems at two places as far as it may be shown."""
        board, stored = self.board, self.results.stored
        if test.counts is None:
            # p is a function of two published rates, but adjusted over pairs whose counts may be hidden.
            return visible_p(test.p, is_exact=visibility.by_group(board))
        # With open answers p follows from both tables, so each must be large enough.
        tables = [
            PairedTable(both, only_a, only_b, stored.tasks - both - only_a - only_b)
            for both, only_a, only_b in (test.counts, *([] if test.worst is None else [test.worst]))
        ]
        has_low_coverage = not self.low_coverage.isdisjoint(stored.systems[place] for place in places)
        is_shown = all(disclosure.shows_table(board, table) for table in tables)
        return visible_p(test.p, is_exact=not has_low_coverage and is_shown)


def _bits_of(number: int) -> Iterator[int]:
    """Yield the places of the bits of a number, in ascending order."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStatistics:
    """Results of the tests of all pairs of rows of one judge.

    judge: "" where the board mixes judges
    method: version of the method, raised when the same rows would get other figures
    digest: sha256 of all input
    claims: about all compared rows
    """

    judge: str
    computed_at: datetime
    method: int
    digest: str
    claims: Claims

    @property
    def _stored(self) -> Results:
        return self.claims.results.stored

    @property
    def systems(self) -> int:
        """The number of compared systems."""
        return len(self._stored.systems)

    @property
    def last_score(self) -> float:
        """The score of the last compared system."""
        return self._stored.last_score

    @property
    def left_out(self) -> int:
        """The number of rows beyond the most that are compared."""
        return self._stored.left_out

    @property
    def tasks(self) -> int:
        """The number of tasks."""
        return self._stored.tasks

    @property
    def is_clustered(self) -> bool:
        """Whether the tests allow for clusters of tasks."""
        return self._stored.is_clustered

    @property
    def has_open(self) -> bool:
        """Whether a judge left answers of some compared system open."""
        return self._stored.has_open

    @property
    def undecided(self) -> int:
        """The number of pairs that do not differ significantly; see `rank_claims.Claims`."""
        return self._stored.undecided

    def part_of(self, systems: Iterable[int], *, all_rows: int, uncompared: int) -> Part | None:
        """Return a part of the rows, for `claims`; None for all of them.

        systems: of the part; others than those compared do not matter
        all_rows: number of ranked rows of the part
        uncompared: number of those whose number of tasks is not known
        """
        results = self.claims.results
        places = {results.places[system] for system in systems if system in results.places}
        if all_rows == len(results.places) + results.stored.uncompared + results.stored.left_out:
            return None
        return Part(
            compared=sum(1 << place for place in places),
            uncompared=uncompared,
            left_out=all_rows - uncompared - len(places),
        )

    def why_not(self, row: TestableRow) -> WhyNot | None:
        """Return why `row` was not tested task by task; None where it was."""
        if row.kind == Kind.BASELINE:
            return WhyNot.BASELINE
        stored, place = self._stored, self.claims.results.places.get(row.system_id)
        if place is None:
            is_low = row.score is not None and row.score <= stored.last_score
            return WhyNot.BEYOND if stored.left_out and is_low else WhyNot.UNCOUNTED
        by_rate = bisect_left(stored.by_rate, place)
        if by_rate == len(stored.by_rate) or stored.by_rate[by_rate] != place:
            return None
        return WhyNot.OTHER_REFERENCES if row.kind == Kind.RESCORED else WhyNot.REPORTED


def statistics_by_judge(board_at: RecordedBoard) -> dict[str, RankStatistics]:
    """Return judge -> statistics of its rows; "" for all rows where the board mixes judges.

    A judge is missing if nothing is computed yet, if none of its rows can be tested, and on a past board. It
    takes one query for each revision of the board, and two more for each judge the first time in a process.
    """
    board, as_of = board_at.board, board_at.as_of
    if board_at.is_past or (as_of is not None and not as_of.number):
        return {}

    def read() -> list[Any]:  # BoardStatistics with `leads_since_at`
        number = F("board__state__rows_number")
        stored = BoardStatistics.objects.filter(board=board, number=number, method=BoardStatistics.METHOD)
        event = BoardEvent.objects.filter(board=OuterRef("board"), number=OuterRef("leads_since"))
        dated = stored.annotate(leads_since_at=Subquery(event.values("at")))
        return list(dated.defer("payload").order_by("judge"))

    # Statistics that are stored later raise the revision of the board.
    rows = board_at.remember("statistics", read)
    low_coverage: frozenset[int] = frozenset()
    if rows and visibility.by_group(board) and disclosure.needs_coverage(board):
        low_coverage = board_at.remember(
            "low-coverage", lambda: disclosure.systems_of_low_coverage(board_at.rows)
        )
    return {row.judge: _statistics(board, row, low_coverage) for row in rows}


def _statistics(board: Board, row: Any, low_coverage: frozenset[int]) -> RankStatistics:
    results, lead = _load(row.pk, row.digest), None
    if row.leads_since_at is not None:
        leader = results.stored.systems[0]
        lead = HeldLead(system_id=leader, since=row.leads_since_at, new_entries=row.leads_through)
    return RankStatistics(
        judge=row.judge,
        computed_at=row.created_at,
        method=row.method,
        digest=row.digest,
        claims=Claims(board=board, results=results, low_coverage=low_coverage, lead=lead),
    )


@lru_cache(maxsize=32)
def _load(key: int, digest: str) -> ReadResults:
    """Return stored results, which never change."""
    # The digest is part of the cache key, so that a reused primary key never returns another row's results.
    return ReadResults(results_of(BoardStatistics.objects.get(pk=key, digest=digest)))
