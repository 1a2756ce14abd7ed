"""Compare two to four systems of a board task by task, within the board's feedback level.

A pair differs significantly exactly if the leaderboard claims so: at 5%, Holm-adjusted over all pairs of it.

overall   only whether each pair differs significantly: no count, p-value or interval, since the counts could
          be derived from them (`p_values`)
by-type   counts over all tasks, exact p-values, intervals, differences by group and of other metrics,
          and how many tasks it would take to find a difference
by-task   also the tasks that only one of the two got right

With hidden references, `disclosure` leaves out tables over few tasks, and pairs that answered too few.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations

from django.core.cache import caches
from django.db.models import TextChoices

from leaderboard.models import Board, Standing
from leaderboard.models.evaluations import Kind
from leaderboard.services import visibility
from leaderboard.services.errors import ServiceError
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.rows.lead_rules import can_lead
from leaderboard.services.statistics import disclosure, pair_tests
from leaderboard.services.statistics.bootstrap import RESAMPLES
from leaderboard.services.statistics.entrants import MOST
from leaderboard.services.statistics.p_values import ALPHA, PValue
from leaderboard.services.statistics.pair_tests import GroupDifference, PairTest, SingleGroup
from leaderboard.services.statistics.rank_statistics import WhyNot, statistics_by_judge
from leaderboard.services.text import percent_range
from wardboard.scoring.runs import MOST_RUNS
from wardboard.scoring.statistics.pairs import PairedTable
from wardboard.scoring.statistics.power import runs_needed, tasks_needed
from wardboard.scoring.statistics.resampling import Difference

FEWEST_COMPARED, MOST_COMPARED = 2, 4
_CACHE_TIMEOUT = 24 * 60 * 60  # seconds
_LARGEST_KEY = 2**63 - 1


class NotComparable(ServiceError):
    """The systems cannot be compared."""

    code = "not-comparable"


class TooFew(NotComparable):
    """Fewer than two different systems."""

    code = "too-few-systems"


class TooMany(NotComparable):
    """More than four systems."""

    code = "too-many-systems"


class NotOnBoard(NotComparable):
    """One of the systems is not on the board, or no longer."""

    code = "not-on-board"


class Outcome(StrEnum):
    """Which system of a pair is significantly better, by the same claim as on the leaderboard."""

    A = "a"
    B = "b"
    NEITHER = "neither"


class WhyHidden(TextChoices):
    """Why the counts of a pair are left out, besides the feedback level."""

    FEW_TASKS = (
        "few-tasks",
        "Details are hidden to protect the reference answers.",
    )
    LOW_COVERAGE = (
        "low-coverage",
        "Details are hidden to protect the reference answers: one of the two answered fewer than 90% of the "
        "tasks.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSystem:
    """A system with its row.

    why_not: why it is not tested; None if it is
    upper: the upper end of its score, 0..1; None where the judge left no answer undecided
    """

    system_id: int
    standing: Standing
    why_not: WhyNot | None
    upper: float | None = None

    @property
    def name(self) -> str:
        return self.standing.name

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends of its score, 0..1."""
        score = self.standing.score or 0.0
        return score, self.upper or score

    @property
    def score_words(self) -> str:
        """The score in print, as its row has it."""
        return percent_range(self.standing.score, self.upper)

    @property
    def interval_words(self) -> str:
        """The 95% interval of the score in print; an en dash where it is not known."""
        return percent_range(self.standing.low, self.standing.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """What it would take to find the difference of a pair significant in four of five cases, were it true.

    tasks: so many more, to two significant figures; None where none within reach would do
    runs: so many of each system; None where none would do, or it is not known
    knows_runs: whether it is known and shown how much runs vary
    """

    tasks: int | None
    runs: int | None
    knows_runs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair:
    """The tests of systems `a` and `b`, given by primary key in the order requested.

    p: of this pair alone; its `is_significant` says whether the pair differs significantly
    family: the pairs that this allows for
    difference: a's rate less b's, in -1..1
    is_clustered: whether the test allows for clusters of tasks
    has_open: whether a judge left answers of one of the two open; p is that of the worst case for the claim
    has_runs: whether a result is of several runs; `table`, `only_a` and `only_b` then compare means over runs

    Hidden at lower feedback levels, and then None or empty:

    interval: of the difference
    table: counts of tasks
    groups: breakdown -> differences by group, in order, without empty groups; none of several runs
    metrics: metric -> difference of the means; None if one of the two has too few figures
    only_a, only_b: ids of the tasks that only this system got right
    is_undone_by_open: whether p alone would be below .05 if open answers simply counted as not right

    rests_on: the group of tasks that a significant difference rests on, if there is one and it is shown
    why_hidden: why table, p-values, interval and metrics are left out though the feedback level shows them
    left_out: breakdown -> groups that are left out for too few tasks
    needed: for a pair that does not differ significantly; None for any other, and where `table` is None
    """

    a: int
    b: int
    outcome: Outcome
    p: PValue
    family: "Family"
    difference: float
    is_clustered: bool
    has_open: bool = False
    has_runs: bool = False
    interval: tuple[float, float] | None = None
    table: PairedTable | None = None
    groups: Mapping[str, Sequence[GroupDifference]] = field(default_factory=dict)
    metrics: Mapping[str, Difference | None] = field(default_factory=dict)
    only_a: tuple[str, ...] | None = None
    only_b: tuple[str, ...] | None = None
    rests_on: SingleGroup | None = None
    is_undone_by_open: bool = False
    why_hidden: WhyHidden | None = None
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)
    needed: Needed | None = None

    @property
    def differs_alone(self) -> bool:
        """Whether p is below .05, but not once it allows for all pairs of the leaderboard."""
        return not self.p.is_significant and self.p.exact is not None and self.p.exact < ALPHA

    def better_of(self) -> int | None:
        """Return the system that is significantly better; None where neither is."""
        return {Outcome.A: self.a, Outcome.B: self.b, Outcome.NEITHER: None}[self.outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The pairs of a leaderboard that are tested together.

    undecided: number of those that do not differ significantly, at least 1. Another one differs significantly
        if its p, times this number, is below .05: the last step of Holm's procedure (`rank_claims.Claims`)
    """

    pairs: int
    undecided: int

    def is_significant(self, p: float) -> bool:
        return p * self.undecided < ALPHA

    @property
    def bound(self) -> float:
        """The p below which a pair differs significantly."""
        return ALPHA / self.undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class UntestedPair:
    """A pair that is not tested task by task.

    why_not: a reason of one of the two, or OTHER_JUDGE for both
    by_rate: what the leaderboard claims of the two by unpaired rates; None where it tests them in no way
    """

    a: int
    b: int
    why_not: WhyNot
    by_rate: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of systems.

    sides: the systems, in the order requested
    tasks: number of tasks in the tests; 0 if nothing could be tested
    resamples: number of bootstrap resamples behind the intervals of `ComparedPair.metrics`, where tasks are
        independent
    """

    board: Board
    sides: tuple[ComparedSystem, ...]
    pairs: tuple[ComparedPair, ...]
    untested: tuple[UntestedPair, ...]
    tasks: int
    resamples: int


def compare_systems(*, board: Board, systems: Sequence[int]) -> Comparison:
    """Compare two to four systems, given by primary key; repeated keys count once.

    Raises TooFew, TooMany or NotOnBoard. Tests of the same evaluations are cached for a day.
    """
    sides = _sides(board, list(dict.fromkeys(systems)))
    pairs, untested = [], []
    for a, b in combinations(sides, 2):
        why_not = _why_not(board, a, b)
        if why_not:
            by_rate = _outcome_by_rate(board, a, b)
            untested.append(UntestedPair(a=a.system_id, b=b.system_id, why_not=why_not, by_rate=by_rate))
        else:
            pairs.append((a.standing, b.standing))
    return Comparison(
        board=board,
        sides=tuple(sides),
        pairs=_compare_pairs(board, pairs),
        untested=tuple(untested),
        tasks=board.ground_truth.task_count if board.active_revision_id else 0,
        resamples=RESAMPLES,
    )


def _sides(board: Board, systems: list[int]) -> list[ComparedSystem]:
    if len(systems) < FEWEST_COMPARED:
        raise TooFew("Choose at least two different systems to compare.")
    if len(systems) > MOST_COMPARED:
        raise TooMany(f"At most {MOST_COMPARED} systems can be compared at once; you chose {len(systems)}.")
    rows = Standing.objects.filter(
        board=board, system__in=[key for key in systems if 0 < key <= _LARGEST_KEY]
    )
    by_system = {row.system_id: row for row in rows.listed()}
    if len(by_system) < len(systems):
        # Do not name the system: its existence must stay secret if it was never published.
        raise NotOnBoard("Not all of these systems are on this leaderboard; one may have been withdrawn.")
    metric = visibility.ranked_metric(board)
    return [
        ComparedSystem(
            system_id=row.system_id,
            standing=row,
            why_not=_why_row_is_untested(board, row),
            upper=visibility.upper_end(metric, row.score, row.metrics),
        )
        for row in (by_system[key] for key in systems)
    ]


def _why_row_is_untested(board: Board, row: Standing) -> WhyNot | None:
    if row.evaluation is None:
        return WhyNot.BASELINE if row.kind == Kind.BASELINE else WhyNot.REPORTED
    if not can_lead(RecordedBoard(board).lead_rules, row):
        return WhyNot.RULES
    is_current = row.evaluation.revision_id == board.active_revision_id
    return None if is_current else WhyNot.OTHER_REFERENCES


def _why_not(board: Board, a: ComparedSystem, b: ComparedSystem) -> WhyNot | None:
    judges_differ = a.standing.judge != b.standing.judge and not board.mixes_judges
    return a.why_not or b.why_not or (WhyNot.OTHER_JUDGE if judges_differ else None)


def _outcome_by_rate(board: Board, a: ComparedSystem, b: ComparedSystem) -> Outcome | None:
    """Return what the leaderboard claims of a pair that is not tested task by task; None for nothing."""
    if a.standing.judge != b.standing.judge and not board.mixes_judges:
        return None
    judge = "" if board.mixes_judges else a.standing.judge
    statistics = statistics_by_judge(RecordedBoard(board)).get(judge)
    if statistics is None or None in (statistics.claims.of(a.system_id), statistics.claims.of(b.system_id)):
        return None
    better = statistics.claims.better_of(a.system_id, b.system_id)
    return {a.system_id: Outcome.A, b.system_id: Outcome.B, None: Outcome.NEITHER}[better]


def _compare_pairs(board: Board, pairs: list[tuple[Standing, Standing]]) -> tuple[ComparedPair, ...]:
    if not pairs:
        return ()
    tests = _cached_tests(board, [(_evaluation_id(a), _evaluation_id(b)) for a, b in pairs])
    low_coverage: frozenset[int] = frozenset()
    if disclosure.needs_coverage(board):
        keys = [row.pk for pair in pairs for row in pair]
        low_coverage = disclosure.systems_of_low_coverage(Standing.objects.filter(pk__in=keys))
    hidden = [
        _why_hidden(board, test, is_low=bool({a.system_id, b.system_id} & low_coverage))
        for (a, b), test in zip(pairs, tests, strict=True)
    ]
    families = {row.judge: _family_of(board, row.judge) for row, _ in pairs}
    return tuple(
        _visible_pair(board, (a, b), test, families[a.judge], why)
        for (a, b), test, why in zip(pairs, tests, hidden, strict=True)
    )


def _family_of(board: Board, judge: str) -> Family:
    """Return the pairs that are tested together with those of `judge`."""
    statistics = statistics_by_judge(RecordedBoard(board)).get("" if board.mixes_judges else judge)
    if statistics is not None:
        return Family(pairs=math.comb(statistics.systems, 2), undecided=statistics.undecided)
    # Until the tests of all pairs are done, allow for as many as there will be: that claims no more.
    rows = Standing.objects.filter(board=board).ranked()
    ranked = rows.count() if board.mixes_judges else rows.filter(judge=judge).count()
    pairs = max(1, math.comb(min(ranked, MOST), 2))
    return Family(pairs=pairs, undecided=pairs)


def _why_hidden(board: Board, test: PairTest, *, is_low: bool) -> WhyHidden | None:
    if not visibility.by_group(board):
        return None
    if is_low:
        return WhyHidden.LOW_COVERAGE
    is_shown = all(disclosure.shows_table(board, table) for table in test.tables)
    return None if is_shown else WhyHidden.FEW_TASKS


def _evaluation_id(row: Standing) -> int:
    if row.evaluation_id is None:
        raise ValueError("only rows with an evaluation are tested")
    return row.evaluation_id


def _cached_tests(board: Board, pairs: list[tuple[int, int]]) -> list[PairTest]:
    """Test pairs of evaluations, which never change, or read the results from the cache."""
    inputs = [pair_tests.METHOD, board.active_revision_id, board.feedback, pairs]
    key = f"compared-{hashlib.sha256(json.dumps(inputs).encode()).hexdigest()}"
    cached: list[PairTest] | None = caches["boards"].get(key)
    if cached is not None:
        return cached
    tests = pair_tests.test_pairs(
        board=board,
        pairs=pairs,
        # Hidden figures are not even cached.
        by_group=visibility.by_group(board),
        by_task=visibility.by_task(board),
    )
    caches["boards"].set(key, tests, _CACHE_TIMEOUT)
    return tests


def _visible_pair(
    board: Board,
    rows: tuple[Standing, Standing],
    test: PairTest,
    family: Family,
    why_hidden: WhyHidden | None,
) -> ComparedPair:
    """Return the results of a test that are shown."""
    a, b = rows
    better = Outcome.A if test.difference > 0 else Outcome.B
    is_significant = family.is_significant(test.p)
    is_exact = visibility.by_group(board) and why_hidden is None
    pair = ComparedPair(
        a=a.system_id,
        b=b.system_id,
        outcome=better if is_significant else Outcome.NEITHER,
        p=PValue(exact=test.p if is_exact else None, is_significant=is_significant),
        family=family,
        difference=test.difference,
        is_clustered=test.is_clustered,
        has_open=test.has_open,
        # By the declared runs: whether the means differ from 0 and 1 would reveal verdicts.
        has_runs=any(row.evaluation is not None and row.evaluation.runs > 1 for row in rows),
        why_hidden=why_hidden,
    )
    if not visibility.by_group(board) or why_hidden == WhyHidden.LOW_COVERAGE:
        return pair
    pair = _with_groups(board, pair, test)
    if why_hidden:
        return pair
    visible = {metric.key for metric in visibility.visible_metrics(board)}
    pair = replace(
        pair,
        interval=test.interval,
        table=test.table,
        rests_on=_visible_group(pair, test),
        is_undone_by_open=test.is_undone_by_open,
        needed=_needed(board, test, family) if pair.outcome == Outcome.NEITHER else None,
        metrics={key: difference for key, difference in test.metrics.items() if key in visible},
    )
    return replace(pair, only_a=test.only_a, only_b=test.only_b) if visibility.by_task(board) else pair


def _needed(board: Board, test: PairTest, family: Family) -> Needed:
    """Return what it would take to find the difference significant, by the bound of the leaderboard today.

    How much runs vary shows how many tasks some runs solved and others did not, so it is left out wherever
    verdicts by task are hidden.
    """
    spread = test.spread
    if spread is None:
        return Needed(tasks=None, runs=None, knows_runs=False)
    tasks = tasks_needed(spread, alpha=family.bound)
    knows_runs = spread.run_variances is not None and not disclosure.needs_coverage(board)
    runs = runs_needed(spread, alpha=family.bound, most=MOST_RUNS) if knows_runs else None
    more = None if tasks is None else _round_up(tasks - spread.tasks)
    return Needed(tasks=more, runs=runs, knows_runs=knows_runs)


def _round_up(number: int) -> int:
    """Return a whole number above 0, rounded up to two significant figures."""
    step = int("1".ljust(len(str(number)) - 1, "0"))
    return -(-number // step) * step


def _visible_group(pair: ComparedPair, test: PairTest) -> SingleGroup | None:
    """Return the group that the difference rests on, for a pair whose counts over all tasks are shown.

    Its name reveals of the other groups what an outcome reveals of a pair: on which side of .05 p lies. Their
    p is left out unless the counts of the group are shown, from which those of the others follow.
    """
    group = test.rests_on
    if group is None or pair.outcome == Outcome.NEITHER:
        return None
    shown = {line.group for line in pair.groups.get(group.breakdown, ())}
    return group if group.group in shown else replace(group, p=None)


def _with_groups(board: Board, pair: ComparedPair, test: PairTest) -> ComparedPair:
    """Return the pair with the differences by group that are shown, and the names of the others."""
    groups: dict[str, Sequence[GroupDifference]] = {}
    left_out: dict[str, Sequence[str]] = {}
    for breakdown in visibility.visible_breakdowns(board):
        if not breakdown.fixed or pair.has_runs or breakdown.key not in test.groups:
            continue
        lines = test.groups[breakdown.key]
        shown = disclosure.groups_shown(board, {line.group: line.tables for line in lines})
        groups[breakdown.key] = tuple(line for line in lines if line.group in shown)
        left_out[breakdown.key] = tuple(line.group for line in lines if line.group not in shown)
    return replace(pair, groups=groups, left_out=left_out)
