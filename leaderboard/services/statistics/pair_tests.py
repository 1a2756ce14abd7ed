"""Paired tests on two evaluations of a board's active revision, fast enough for a page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leaderboard.models import Board
from leaderboard.services.judging.task_groups import TaskGroupNumbers, load_task_groups
from leaderboard.services.statistics.entrants import Scores, figures_of, scores_of
from leaderboard.services.statistics.p_values import ALPHA
from wardboard.scoring import registry
from wardboard.scoring.statistics import difference_interval
from wardboard.scoring.statistics.clusters import Clusters, clustered_difference, clustered_mean_difference
from wardboard.scoring.statistics.comparisons import pairwise_p
from wardboard.scoring.statistics.open_answers import claim_p
from wardboard.scoring.statistics.pairs import PairedTable, paired_table
from wardboard.scoring.statistics.rates import Estimate
from wardboard.scoring.statistics.run_counts import right_runs, within_tasks_variance
from wardboard.scoring.statistics.sign_flips import flipped_difference

# Groups of fewer tasks are marked, since their wide intervals mean little.
SMALL = 10
# Means over fewer figures have no interval.
_FEWEST = 10
_NEXT_TO_0 = 5e-324


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference:
    """The results of two systems on one group of tasks.

    worst: with open answers, the counts of the worst case for a, and for b
    difference: a's rate less b's, with an interval that is not adjusted for the number of groups, and holds
        whichever way open answers turn out
    """

    group: str
    tasks: int
    right_a: int
    right_b: int
    table: PairedTable
    worst: Sequence[PairedTable]
    difference: Estimate
    is_small: bool

    @property
    def tables(self) -> Sequence[PairedTable]:
        """All counts that the interval goes by."""
        return (self.table, *self.worst)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """All test results of two evaluations. `compare` decides which of them are visible.

    p: two-sided; below .05 exactly where `interval`, of 95%, leaves out 0. With open answers, of the worst
        case for the system ahead (`wardboard.scoring.statistics.open_answers`)
    table: counts of tasks, where an open answer is not right
    worst: with open answers, the counts of the worst case for the first, and for the second
    """

    p: float
    difference: float
    table: PairedTable
    interval: tuple[float, float]
    worst: Sequence[PairedTable] = ()
    has_open: bool = False
    is_clustered: bool = False
    groups: Mapping[str, Sequence[GroupDifference]] = field(default_factory=dict)
    metrics: Mapping[str, Estimate | None] = field(default_factory=dict)
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()

    @property
    def tables(self) -> Sequence[PairedTable]:
        """All counts that p and the interval go by."""
        return (self.table, *self.worst)


def test_pair(*, board: Board, a: int, b: int, by_group: bool, by_task: bool) -> PairTest:
    """Test two evaluations, given by primary key, both of the active revision.

    by_group: whether to include differences by group and of other metrics
    """
    revision = board.ground_truth
    groups = load_task_groups(board=board, revision_id=revision.pk)
    # The number of tasks comes from the groups, since loading all ids of tasks is slow.
    scores = scores_of(board.benchmark, [a, b], len(groups.strata))
    clusters = groups.cluster_labels
    ways = _ways(scores)
    tables = [paired_table(*way) for way in ways]
    p = float(claim_p(scores.lower, scores.upper, clusters, scores.runs)[0, 1])
    difference, *interval = _difference(ways, tables, p, clusters, scores.runs)
    # Tables of groups count tasks as right or wrong, which means over several runs are not.
    breakdowns = groups.breakdowns if by_group and all(_is_single(way) for way in ways) else {}
    first, second = scores.lower
    ids = revision.task_ids if by_task else ()
    return PairTest(
        p=p,
        difference=difference,
        table=tables[0],
        worst=tables[1:],
        interval=(interval[0], interval[1]),
        has_open=scores.has_open,
        is_clustered=clusters is not None,
        groups={key: _by_group(board, key, numbers, ways, clusters) for key, numbers in breakdowns.items()},
        metrics=_metrics(board, [a, b], groups) if by_group else {},
        only_a=tuple(ids[place] for place in np.flatnonzero(first > second).tolist()) if ids else (),
        only_b=tuple(ids[place] for place in np.flatnonzero(second > first).tolist()) if ids else (),
    )


def fall_p(*, board: Board, a: int, b: int) -> float:
    """Return the lesser p of a fall of `a` below `b`, all open answers taken as wrong or as right; else 1."""
    groups = load_task_groups(board=board, revision_id=board.ground_truth.pk)
    scores = scores_of(board.benchmark, [a, b], len(groups.strata))
    fallen = [end for end in (scores.lower, scores.upper) if end[0].mean() < end[1].mean()]
    return min((pairwise_p(end, groups.cluster_labels, scores.runs)[0, 1] for end in fallen), default=1.0)


def _ways(scores: Scores) -> list[npt.NDArray[np.float64]]:
    """Return the scores of two systems: as counted, in the worst case for the first, and for the second.

    Without open answers, these are the scores as counted alone.
    """
    if not scores.has_open:
        return [scores.lower]
    (low_a, low_b), (high_a, high_b) = scores.lower, scores.upper
    return [scores.lower, np.stack([low_a, high_b]), np.stack([high_a, low_b])]


def _is_single(scores: npt.NDArray[np.float64]) -> bool:
    """Return whether all scores are right or wrong, as of single runs."""
    return bool(((scores == 0) | (scores == 1)).all())


def _difference(
    ways: Sequence[npt.NDArray[np.float64]],
    tables: Sequence[PairedTable],
    p: float,
    clusters: Clusters | None,
    runs: npt.NDArray[np.int64],
) -> tuple[float, float, float]:
    """Return the difference of the means of two systems, with an interval that agrees with `p`.

    ways, tables: the scores as `_ways` returns them, and their counts. The interval holds those of all ways.
    runs: of each system. Where they differ, the standard error is at least that of the exact test.

    Newcombe's interval and the mid-p test nearly always agree. Where only one of them finds a difference, or
    too few tasks show no variance at all, the end of the interval is moved to 0, or next to it.
    """
    differ = runs[0] != runs[1]
    of: Callable[..., Estimate] = flipped_difference
    if clusters is None and (differ or not all(_is_single(way) for way in ways)):
        # Means over several runs take the paired t-test, in which each task is a cluster of its own.
        clusters, of = [np.arange(ways[0].shape[1])], clustered_difference
    if clusters is not None:
        intervals = []
        for a, b in ways:
            # What choosing the runs within tasks adds to the variance of the difference.
            counts = right_runs(np.stack([a, b]), runs) if differ else ()
            least = within_tasks_variance(*counts, *map(int, runs)) if differ else 0.0
            intervals.append(of(a, b, clusters, least_variance=least))
    else:
        intervals = [difference_interval(*table) for table in tables]
    difference, low, high = _union(intervals)
    if p >= ALPHA:
        return difference, min(low, 0.0), max(high, 0.0)
    if difference > 0:
        return difference, max(low, _NEXT_TO_0), high
    return difference, low, min(high, -_NEXT_TO_0)


def _union(intervals: Sequence[Estimate]) -> Estimate:
    """Return the first difference, with an interval that holds the intervals of all."""
    low, high = min(interval.low for interval in intervals), max(interval.high for interval in intervals)
    return intervals[0]._replace(low=low, high=high)


def _by_group(
    board: Board,
    key: str,
    numbers: npt.NDArray[np.uint8],
    ways: Sequence[npt.NDArray[np.float64]],
    clusters: Clusters | None,
) -> tuple[GroupDifference, ...]:
    """Return the groups of a breakdown that have tasks, in order. ways: scores as `_ways` returns them."""
    (breakdown,) = (b for b in registry.get(board.benchmark).breakdowns if b.key == key)
    differences = []
    for number, group in enumerate(breakdown.groups):
        chosen = numbers == number
        table, *worst = tables = [paired_table(*way[:, chosen]) for way in ways]
        if tasks := sum(table):
            # Newcombe's and those by clusters both count: of few tasks, clusters can show no variance at all.
            # If no clustered task differs, both ends are 0, and nothing is known.
            differ = clusters is None or any(table.only_a or table.only_b for table in tables)
            intervals = [difference_interval(*table) for table in tables if differ]
            if clusters is not None:
                labels = [np.asarray(label)[chosen] for label in clusters]
                intervals += [clustered_difference(way[0, chosen], way[1, chosen], labels) for way in ways]
            differences.append(
                GroupDifference(
                    group=group,
                    tasks=tasks,
                    right_a=table.both + table.only_a,
                    right_b=table.both + table.only_b,
                    table=table,
                    worst=worst,
                    difference=_union(intervals),
                    is_small=tasks < SMALL,
                )
            )
    return tuple(differences)


def _metrics(board: Board, keys: Sequence[int], groups: TaskGroupNumbers) -> dict[str, Estimate | None]:
    """Return metric -> difference of the means of two evaluations, with a cluster-robust interval.

    Where tasks are independent, each is a cluster of its own.
    """
    tasks = len(groups.strata)
    clusters = [np.arange(tasks)] if groups.cluster_labels is None else groups.cluster_labels
    figures = figures_of(board.benchmark, keys, tasks)
    return {metric: _metric(values[0], values[1], clusters) for metric, values in figures.items()}


def _metric(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32], clusters: Clusters) -> Estimate | None:
    """Return the difference of two means with its interval; None where one is over too few figures."""
    if min(np.count_nonzero(~np.isnan(values)) for values in (a, b)) < _FEWEST:
        return None
    return clustered_mean_difference(a, b, clusters)
