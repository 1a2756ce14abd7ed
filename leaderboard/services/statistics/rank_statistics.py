"""Read stored statistics on the certainty of ranks; `compute` makes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

from django.db import models
from django.db.models import F
from django.utils.translation import gettext_noop

from leaderboard.models import Board, BoardStatistics, Kind, Standing
from leaderboard.services import visibility
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics import disclosure
from leaderboard.services.statistics.p_values import PValue, visible_p
from leaderboard.services.statistics.stored import Results, unpack
from wardboard.scoring.statistics.pairs import PairedTable


class WhyNot(models.TextChoices):
    """Why a row is not tested task by task."""

    REPORTED = "reported", "Not rescored here; Wardboard has no per-task results."
    BASELINE = "baseline", "A baseline is shown for comparison, and is not ranked."
    OTHER_REFERENCES = "other-references", "Scored against earlier reference answers."
    OTHER_JUDGE = "other-judge", "Another judge decided on its answers."
    BEYOND = "beyond", "Below the systems that are compared on a leaderboard of this size."
    RULES = "rules", "It has no rank here; its row says why."


# Kind -> why no row of it is tested.
UNTESTED: Mapping[str, WhyNot] = {Kind.REPORTED: WhyNot.REPORTED, Kind.BASELINE: WhyNot.BASELINE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The uncertainty of the rank of a row.

    low, high: the 95% interval of the rank: 1 + better, and the number of systems - worse. None if nothing
        was tested. Only `high` is None where systems beyond those compared may come before this one.
    better, worse: number of systems that are significantly better or worse
    is_tied_for_first: whether it shares the first place: no system is significantly better than it, nor than
        at least one other; None if nothing was tested
    is_below_tied: whether all systems that are tied for first are above it, so that, as for each tested
        system further down, some system is significantly better
    why_not: why the row was not tested task by task; None if it was, or while results are being computed
    """

    low: int | None = None
    high: int | None = None
    better: int = 0
    worse: int | None = None
    is_tied_for_first: bool | None = None
    is_below_tied: bool = False
    why_not: WhyNot | None = None

    @property
    def is_known(self) -> bool:
        """Whether the rank has an interval."""
        return self.low is not None

    @property
    def tie(self) -> str:
        """The mark of a row that is tied for first with another one, in English; "" for any other."""
        return gettext_noop("tied for 1st") if self.is_tied_for_first else ""

    @property
    def span(self) -> str:
        """The interval of the rank in print: 1–5, or 3; 1950+ where its end is open; "" if not known."""
        if self.low is None:
            return ""
        if self.high is None:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


class ReadResults:
    """Stored results, with the bits of `better` as numbers, and the place of each system."""

    def __init__(self, stored: Results) -> None:
        self.stored = stored
        self.places = {system: place for place, system in enumerate(stored.systems)}
        self.better = [int(bits, 16) for bits in stored.better]


@dataclass(frozen=True, kw_only=True)
class RankStatistics:
    """All that the tests claim about the order of the rows of one judge.

    Every statement is read from here: summary, marks, intervals, lines, counts and exports. All of them
    follow from one relation, "significantly better" (`rank_claims`), between pairs of rows of the whole
    board: no filter changes what is claimed.

    judge: "" where the board mixes judges
    method: version of the method, raised when the same rows would get other figures
    """

    board: Board
    judge: str
    computed_at: datetime
    method: int = BoardStatistics.METHOD
    digest: str = ""
    results: ReadResults
    low_coverage: frozenset[int] = frozenset()

    @property
    def stored(self) -> Results:
        return self.results.stored

    @property
    def count(self) -> int:
        """The number of compared rows."""
        return len(self.stored.systems)

    @cached_property
    def tied(self) -> list[int]:
        """The systems that are tied for first: those than which no other is significantly better, best first.

        The first compared system is always among them.
        """
        pairs = zip(self.stored.systems, self.results.better, strict=True)
        return [system for system, better in pairs if not better]

    def of(self, row: Standing) -> Place:
        """Return the uncertainty of the rank of a row."""
        stored, place = self.stored, self.results.places.get(row.system_id)
        if place is None or row.kind != Kind.RESCORED:
            return Place(why_not=self._why_not(row))
        better, worse = self.results.better[place].bit_count(), stored.worse[place]
        # The rows left out were not tested, so only a test against one above them bounds the rank; and with
        # open answers it may not be above them.
        is_open = stored.left_out > 0 and (not worse or stored.has_open)
        return Place(
            low=1 + better,
            high=None if is_open else self.count + stored.uncompared - worse,
            better=better,
            worse=worse,
            is_tied_for_first=not better and len(self.tied) > 1,
            is_below_tied=place > self.results.places[self.tied[-1]],
        )

    def is_better(self, a: int, b: int) -> bool | None:
        """Return whether system `a` is significantly better than `b`; None where either was not compared."""
        places = self.results.places
        if not {a, b} <= places.keys():
            return None
        return bool(self.results.better[places[b]] >> places[a] & 1)

    def next_of(self, system_id: int) -> int | None:
        """Return the next system that was compared; None if not compared, and for the last."""
        place = self.results.places.get(system_id)
        return None if place is None or place + 1 == self.count else self.stored.systems[place + 1]

    def p_next(self, system_id: int) -> PValue | None:
        """Return the adjusted p of the system and the next as far as it is shown; None without a next."""
        if (following := self.next_of(system_id)) is None:
            return None
        board, stored, test = self.board, self.stored, self.stored.below[self.results.places[system_id]]
        # With open answers p follows from both tables, so each must be large enough.
        tables = [
            PairedTable(both, only_a, only_b, stored.tasks - both - only_a - only_b)
            for both, only_a, only_b in (test.counts, *([] if test.worst is None else [test.worst]))
        ]
        has_low_coverage = not self.low_coverage.isdisjoint((system_id, following))
        is_shown = all(disclosure.shows_table(board, table) for table in tables)
        return visible_p(test.p, is_exact=not has_low_coverage and is_shown)

    def _why_not(self, row: Standing) -> WhyNot:
        if row.kind in UNTESTED:
            return UNTESTED[row.kind]
        is_low = row.score is not None and row.score <= self.stored.last_score
        return WhyNot.BEYOND if self.stored.left_out and is_low else WhyNot.OTHER_REFERENCES


def statistics_by_judge(board_at: RecordedBoard) -> dict[str, RankStatistics]:
    """Return judge -> statistics of its rows; "" for all rows where the board mixes judges.

    A judge is missing if nothing is computed yet, if none of its rows can be tested, and on a past board, but
    for the first table of a season. It
    takes one query for each revision of the board, and one more for each judge the first time in a process.
    """
    board, as_of = board_at.board, board_at.as_of
    is_current = not board_at.is_past and (as_of is None or as_of.number)
    if not (is_current or board_at.is_first_table):
        return {}

    def read() -> list[BoardStatistics]:
        is_first = as_of is not None and board_at.is_first_table
        number = as_of.event.rows_number if as_of and is_first else F("board__state__rows_number")
        stored = BoardStatistics.objects.filter(board=board, number=number, method=BoardStatistics.METHOD)
        return list(stored.defer("payload").order_by("judge"))

    # Statistics that are stored later raise the revision of the board.
    rows = board_at.remember("statistics", read)
    low_coverage: frozenset[int] = frozenset()
    if rows and visibility.by_group(board) and disclosure.needs_coverage(board):
        low_coverage = board_at.remember(
            "low-coverage", lambda: disclosure.systems_of_low_coverage(board_at.rows)
        )
    return {row.judge: _statistics(board, row, low_coverage) for row in rows}


def _statistics(board: Board, row: BoardStatistics, low_coverage: frozenset[int]) -> RankStatistics:
    return RankStatistics(
        board=board,
        judge=row.judge,
        computed_at=row.created_at,
        method=row.method,
        digest=row.digest,
        results=_load(row.pk, row.digest),
        low_coverage=low_coverage,
    )


@lru_cache(maxsize=32)
def _load(key: int, digest: str) -> ReadResults:
    """Return stored results, which never change."""
    # The digest is part of the cache key, so that a reused primary key never returns another row's results.
    return ReadResults(unpack(bytes(BoardStatistics.objects.get(pk=key, digest=digest).payload)))
