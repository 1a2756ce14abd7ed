"""Compare two systems of a board task by task, within the board's feedback level.

A pair differs significantly exactly if the leaderboard claims so: at 5%, Holm-adjusted over all pairs of it.

overall   only whether each pair differs significantly: no count, p-value or interval, since the counts could
          be derived from them (`p_values`)
by-type   counts over all tasks, exact p-values, intervals, differences by group and of other metrics
by-task   also the tasks that only one of the two got right

With hidden references, `disclosure` leaves out tables over few tasks, and pairs that answered too few.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import TextChoices

from leaderboard.models import Board, Standing
from leaderboard.models.evaluations import Kind
from leaderboard.services import visibility
from leaderboard.services.errors import ServiceError
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.rows.means import may_lead
from leaderboard.services.statistics import disclosure, pair_tests
from leaderboard.services.statistics.entrants import MOST
from leaderboard.services.statistics.p_values import ALPHA, PValue
from leaderboard.services.statistics.pair_tests import GroupDifference, PairTest
from leaderboard.services.statistics.rank_statistics import WhyNot, statistics_by_judge
from leaderboard.services.text import percent_range
from wardboard.scoring.statistics.pairs import PairedTable
from wardboard.scoring.statistics.rates import Estimate

COMPARED = 2  # systems
_LARGEST_KEY = 2**63 - 1


class NotComparable(ServiceError, code="not-comparable"):
    """The systems are not two different ones of the board."""


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
class ComparedPair:
    """The tests of two systems, `a` and `b` in the order requested.

    p: of this pair alone; its `is_significant` says whether the pair differs significantly
    family: the pairs that this allows for. difference: a's rate less b's, in -1..1
    has_open: whether a judge left answers of one of the two open; p is that of the worst case for the claim
    has_runs: whether a result is of several runs; `table`, `only_a` and `only_b` then compare means over runs

    Hidden at lower feedback levels, and then None or empty:

    groups: breakdown -> differences by group, in order, without empty groups; none of several runs
    metrics: metric -> difference of the means; None if one of the two has too few figures
    only_a, only_b: ids of the tasks that only this system got right
    why_hidden: why table, p-values, interval and metrics are left out though the feedback level shows them
    """

    p: PValue
    family: "Family"
    difference: float
    is_clustered: bool
    has_open: bool = False
    has_runs: bool = False
    interval: tuple[float, float] | None = None
    table: PairedTable | None = None
    groups: Mapping[str, Sequence[GroupDifference]] = field(default_factory=dict)
    metrics: Mapping[str, Estimate | None] = field(default_factory=dict)
    only_a: tuple[str, ...] | None = None
    only_b: tuple[str, ...] | None = None
    why_hidden: WhyHidden | None = None


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
class Comparison:
    """A comparison of two systems.

    sides: the systems, in the order requested. pair: the test of the two; None where they are not tested
    why_not: why they are not tested, a reason of one of the two, or OTHER_JUDGE for both; None where they are
    """

    board: Board
    sides: tuple[ComparedSystem, ComparedSystem]
    pair: ComparedPair | None
    why_not: WhyNot | None
    tasks: int

    @property
    def ahead_first(self) -> tuple[ComparedSystem, ComparedSystem]:
        """The two systems, the one with the higher score first."""
        a, b = self.sides
        difference = self.pair.difference if self.pair else a.ends[0] - b.ends[0]
        return (b, a) if difference < 0 else (a, b)


def compare_systems(*, board: Board, systems: Sequence[int]) -> Comparison:
    """Compare two systems, given by primary key; repeated keys count once. Raises NotComparable."""
    keys = list(dict.fromkeys(systems))
    if len(keys) != COMPARED:
        raise NotComparable("Choose two different systems to compare.")
    rows = Standing.objects.filter(board=board, system__in=[key for key in keys if 0 < key <= _LARGEST_KEY])
    by_system = {row.system_id: row for row in rows.listed()}
    if len(by_system) < len(keys):
        # Do not name the system: its existence must stay secret if it was never published.
        raise NotComparable("Not all of these systems are on this leaderboard; one may have been withdrawn.")
    metric = visibility.ranked_metric(board)
    a, b = (
        ComparedSystem(
            standing=row,
            why_not=_why_row_is_untested(board, row),
            upper=visibility.upper_end(metric, row.score, row.metrics),
        )
        for row in (by_system[key] for key in keys)
    )
    why_not = _why_not(board, a, b)
    return Comparison(
        board=board,
        sides=(a, b),
        pair=None if why_not else _compare_pair(board, a.standing, b.standing),
        why_not=why_not,
        tasks=board.ground_truth.task_count if board.active_revision_id else 0,
    )


def _why_row_is_untested(board: Board, row: Standing) -> WhyNot | None:
    if row.evaluation is None:
        return WhyNot.BASELINE if row.kind == Kind.BASELINE else WhyNot.REPORTED
    if RecordedBoard(board).lead_rules.unmet_by(row):
        return WhyNot.RULES
    return None if row.evaluation.revision_id == board.active_revision_id else WhyNot.OTHER_REFERENCES


def _why_not(board: Board, a: ComparedSystem, b: ComparedSystem) -> WhyNot | None:
    judges_differ = a.standing.judge != b.standing.judge and not board.mixes_judges
    return a.why_not or b.why_not or (WhyNot.OTHER_JUDGE if judges_differ else None)


def _compare_pair(board: Board, a: Standing, b: Standing) -> ComparedPair:
    by_group, by_task = visibility.by_group(board), visibility.by_task(board)
    first, second = a.evaluation_id, b.evaluation_id
    assert first is not None, "only rows with an evaluation are tested"
    assert second is not None, "only rows with an evaluation are tested"
    test = pair_tests.test_pair(board=board, a=first, b=second, by_group=by_group, by_task=by_task)
    rows = Standing.objects.filter(pk__in=[a.pk, b.pk])
    is_low = disclosure.needs_coverage(board) and bool(disclosure.systems_of_low_coverage(rows))
    why_hidden = _why_hidden(board, test, is_low=is_low)
    family = _family_of(board, a.judge)
    is_exact = by_group and why_hidden is None
    # By the declared runs: whether the means differ from 0 and 1 would reveal verdicts.
    has_runs = any(row.evaluation is not None and row.evaluation.runs > 1 for row in (a, b))
    has_groups = by_group and why_hidden != WhyHidden.LOW_COVERAGE and not has_runs
    metrics = visibility.visible_metrics(board) if is_exact else ()
    visible = {metric.key for metric in metrics if all(may_lead(metric, row.metrics) for row in (a, b))}
    return ComparedPair(
        p=PValue(exact=test.p if is_exact else None, is_significant=family.is_significant(test.p)),
        family=family,
        difference=test.difference,
        is_clustered=test.is_clustered,
        has_open=test.has_open,
        has_runs=has_runs,
        interval=test.interval if is_exact else None,
        table=test.table if is_exact else None,
        groups=disclosure.visible_groups(board, test.groups) if has_groups else {},
        metrics={key: difference for key, difference in test.metrics.items() if key in visible},
        only_a=test.only_a if is_exact and by_task else None,
        only_b=test.only_b if is_exact and by_task else None,
        why_hidden=why_hidden,
    )


def _family_of(board: Board, judge: str) -> Family:
    statistics = statistics_by_judge(RecordedBoard(board)).get("" if board.mixes_judges else judge)
    if statistics is not None:
        return Family(pairs=math.comb(statistics.count, 2), undecided=statistics.stored.undecided)
    # Until the tests of all pairs are done, allow for as many as there will be: that claims no more.
    rows = RecordedBoard(board).ranked_rows
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
