"""Read stored statistics on the certainty of ranks; `compute` makes them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Protocol

from django.db import models
from django.db.models import F, OuterRef, Subquery
from django.utils.translation import gettext_noop

from leaderboard.models import Board, BoardEvent, BoardStatistics, Kind
from leaderboard.services import visibility
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics import disclosure
from leaderboard.services.statistics.lead import HeldLead, results_of
from leaderboard.services.statistics.p_values import PValue, visible_p
from leaderboard.services.statistics.stored import Results
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
class Place:
    """The uncertainty of the rank of a row.

    low, high: the 95% interval of the rank: 1 + better, and the number of systems - worse. None if nothing
        was tested, and where only a part of the rows of the board is shown, since a rank is among all. Only
        `high` is None where systems beyond those compared may come before this one.
    better, worse: number of systems that are significantly better or worse
    is_tied_for_first: whether no system, of those shown, is significantly better, so that the interval begins
        at 1; None if nothing was tested
    shares_first: whether, besides, another system is tied for first, so that a page can say "tied"
    is_below_tied: whether all systems that are tied for first are above it, so that, as for each tested
        system further down, some system is significantly better
    why_not: why the row was not tested task by task; None if it was, or while results are being computed
    """

    low: int | None = None
    high: int | None = None
    better: int = 0
    worse: int | None = None
    is_tied_for_first: bool | None = None
    shares_first: bool = False
    is_below_tied: bool = False
    why_not: WhyNot | None = None

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


class ReadResults:
    """Stored results, with the bits of `better` as numbers, and the place of each system.

    by_rate: the places of the rows that are compared by score alone
    """

    def __init__(self, stored: Results) -> None:
        self.stored = stored
        self.places = {system: place for place, system in enumerate(stored.systems)}
        self.by_rate = frozenset(stored.by_rate)
        self.better = [int(bits, 16) for bits in stored.better]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some of the rows of one judge, as chosen by filters.

    compared: the places of those that were compared, as bits
    uncompared, left_out: number of the others, as for `stored.Results`
    """

    compared: int
    uncompared: int
    left_out: int


@dataclass(frozen=True, kw_only=True)
class RankStatistics:
    """All that the tests claim about the order of the rows of one judge, or of a part of these.

    Every statement is read from here: head sentence, marks, intervals, lines, counts and exports. All of them
    follow from one relation, "significantly better" (`rank_claims`), between pairs of rows. It is of the
    whole board, so a part of its rows only leaves out the claims about the others: no choice of rows changes
    what is claimed about a pair.

    judge: "" where the board mixes judges
    method: version of the method, raised when the same rows would get other figures
    digest: sha256 of all input
    lead: since when the first of all rows has been significantly better than each other, where that is known
    part: the rows that the claims are about; None for all
    """

    board: Board
    judge: str
    computed_at: datetime
    method: int
    digest: str
    results: ReadResults
    low_coverage: frozenset[int]
    lead: HeldLead | None = None
    part: Part | None = None

    @property
    def stored(self) -> Results:
        return self.results.stored

    @property
    def _chosen(self) -> int:
        return (1 << len(self.results.better)) - 1 if self.part is None else self.part.compared

    @property
    def count(self) -> int:
        """The number of compared rows."""
        return self._chosen.bit_count()

    @property
    def uncompared(self) -> int:
        """The number of ranked rows whose number of tasks is not known."""
        return (self.part or self.stored).uncompared

    @property
    def is_partial(self) -> bool:
        """Whether some ranked rows were not tested."""
        return bool(self.uncompared or (self.part or self.stored).left_out)

    @cached_property
    def tied(self) -> list[int]:
        """The systems that are tied for first: those than which no other is significantly better, best first.

        The first compared system is always among them.
        """
        chosen, systems = self._chosen, self.stored.systems
        return [systems[place] for place in _bits_of(chosen) if not self.results.better[place] & chosen]

    def of(self, row: TestableRow) -> Place:
        """Return the uncertainty of the rank of a row."""
        why_not, stored = self.why_not(row), self.stored
        place, chosen = self.results.places.get(row.system_id), self._chosen
        if row.kind == Kind.BASELINE or place is None or not chosen >> place & 1:
            return Place(why_not=why_not)
        better = (self.results.better[place] & chosen).bit_count()
        found = Place(
            better=better,
            is_tied_for_first=not better,
            shares_first=not better and len(self.tied) > 1,
            is_below_tied=place > self.results.places[self.tied[-1]],
            why_not=why_not,
        )
        if self.part:
            return found
        worse = stored.worse[place]
        # The rows left out were not tested, so only a test against one above them bounds the rank; and with
        # open answers it may not be above them.
        is_open = stored.left_out > 0 and (not worse or stored.has_open)
        high = None if is_open else self.count + stored.uncompared - worse
        return replace(found, low=1 + better, high=high, worse=worse)

    def is_better(self, a: int, b: int) -> bool | None:
        """Return whether system `a` is significantly better than `b`; None where either was not compared."""
        places = self.results.places
        if not {a, b} <= places.keys():
            return None
        return bool(self.results.better[places[b]] >> places[a] & 1)

    def next_of(self, system_id: int) -> int | None:
        """Return the next system that was compared.

        None if not compared, for the last, and for a part of the rows, in which another one may be next.
        """
        place = self.results.places.get(system_id)
        if self.part or place is None or place == len(self.results.places) - 1:
            return None
        return self.stored.systems[place + 1]

    def p_next(self, system_id: int) -> PValue | None:
        """Return the adjusted p of the system and the next as far as it is shown; None without a next."""
        if (following := self.next_of(system_id)) is None:
            return None
        board, stored, test = self.board, self.stored, self.stored.below[self.results.places[system_id]]
        if test.counts is None:
            # p is a function of two published rates, but adjusted over pairs whose counts may be hidden.
            return visible_p(test.p, is_exact=visibility.by_group(board))
        # With open answers p follows from both tables, so each must be large enough.
        tables = [
            PairedTable(both, only_a, only_b, stored.tasks - both - only_a - only_b)
            for both, only_a, only_b in (test.counts, *([] if test.worst is None else [test.worst]))
        ]
        has_low_coverage = not self.low_coverage.isdisjoint((system_id, following))
        is_shown = all(disclosure.shows_table(board, table) for table in tables)
        return visible_p(test.p, is_exact=not has_low_coverage and is_shown)

    def part_of(self, systems: Iterable[int], *, all_rows: int, uncompared: int) -> Part | None:
        """Return a part of the rows, for `part`; None for all of them.

        systems: of the part; others than those compared do not matter
        all_rows: number of ranked rows of the part
        uncompared: number of those whose number of tasks is not known
        """
        known = self.results.places
        places = {known[system] for system in systems if system in known}
        if all_rows == len(known) + self.stored.uncompared + self.stored.left_out:
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
        stored, place = self.stored, self.results.places.get(row.system_id)
        if place is None:
            is_low = row.score is not None and row.score <= stored.last_score
            return WhyNot.BEYOND if stored.left_out and is_low else WhyNot.UNCOUNTED
        if place not in self.results.by_rate:
            return None
        return WhyNot.OTHER_REFERENCES if row.kind == Kind.RESCORED else WhyNot.REPORTED


def _bits_of(number: int) -> Iterator[int]:
    """Yield the places of the bits of a number, in ascending order."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


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
        board=board,
        judge=row.judge,
        computed_at=row.created_at,
        method=row.method,
        digest=row.digest,
        results=results,
        low_coverage=low_coverage,
        lead=lead,
    )


@lru_cache(maxsize=32)
def _load(key: int, digest: str) -> ReadResults:
    """Return stored results, which never change."""
    # The digest is part of the cache key, so that a reused primary key never returns another row's results.
    return ReadResults(results_of(BoardStatistics.objects.get(pk=key, digest=digest)))
