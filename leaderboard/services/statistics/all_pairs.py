"""Test all pairs of the compared rows of a board, and derive what is claimed about their ranks."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from leaderboard.services.judging.task_groups import TaskGroupNumbers
from leaderboard.services.statistics.entrants import Entrant, Entrants, Scores, scores_of
from leaderboard.services.statistics.p_values import ALPHA
from leaderboard.services.statistics.stored import Neighbours, Results
from scoring import registry
from scoring.benchmark import PublishedClusters
from scoring.statistics.open_answers import claim_p
from scoring.statistics.pairs import PairedTable, paired_table
from scoring.statistics.published import PublishedRate, join_published
from scoring.statistics.rank_claims import Marks, better_from_p, holm_pairs, ranks_from_p

_LEVEL = 1 - ALPHA
_FIGURES_OF_P = 9


def compare_all(
    *,
    benchmark_slug: str,
    revision_id: int,
    groups: TaskGroupNumbers,
    entrants: Entrants,
    shown_of: Callable[[Scores], Marks | None] = lambda scores: None,
) -> Results:
    """Return the results of the tests of all pairs of `entrants`, at least one of which is compared by task.

    revision_id, groups: of the board's tasks
    shown_of: returns which pairs of the systems that are compared by task are adjusted for each other, and
        for those compared by rate, None for all; the others are judged by their own p
    """
    rows, by_task, tasks = entrants.compared, entrants.by_task, len(groups.strata)
    evaluations = [row.evaluation for row in rows if row.evaluation is not None]
    scores = scores_of(benchmark_slug, evaluations, tasks)
    lower, upper, _ = scores
    p, means = _test(entrants, scores, groups.cluster_labels, registry.get(benchmark_slug).published_clusters)
    shown = shown_of(scores)
    family = None if shown is None else np.ones(p.shape, dtype=np.bool_)
    if family is not None:
        family[np.ix_(by_task, by_task)] = shown
    holm = holm_pairs(p, family)
    better = better_from_p(p, means, _LEVEL, adjusted=holm)
    low, high = ranks_from_p(p, means, _LEVEL)
    tied = np.flatnonzero(~better.any(axis=1))
    below_first = np.flatnonzero(better[:, 0])
    place_of = {place: number for number, place in enumerate(by_task)}

    def neighbours(above: int, below: int) -> Neighbours:
        adjusted = _rounded(holm[above, below])
        if above not in place_of or below not in place_of:
            return Neighbours(None, adjusted)
        a, b = place_of[above], place_of[below]
        worst = _counts(paired_table(lower[a], upper[b])) if (upper[b] > lower[b]).any() else None
        return Neighbours(_counts(paired_table(lower[a], lower[b])), adjusted, worst)

    return Results(
        revision=revision_id,
        tasks=tasks,
        left_out=entrants.left_out,
        uncompared=entrants.uncompared,
        last_score=rows[-1].score,
        systems=[row.system for row in rows],
        by_rate=[place for place, row in enumerate(rows) if row.evaluation is None],
        better=(low - 1).tolist(),
        worse=(len(rows) - high).tolist(),
        tied=tied.tolist(),
        group_starts=group_starts(better),
        below=[neighbours(upper, lower) for upper, lower in pairwise(range(len(rows)))],
        worse_than_first=int(below_first.size),
        next=int(below_first[0]) if below_first.size else None,
        next_test=neighbours(0, int(below_first[0])) if below_first.size else None,
        is_clustered=groups.cluster_labels is not None,
        has_open=any(row.upper > row.score for row in rows) or scores.has_open,
    )


def _test(
    entrants: Entrants,
    scores: Scores,
    clusters: Sequence[npt.NDArray[np.uint32]] | None,
    published_clusters: PublishedClusters | None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the p of all pairs, and the mean of each row, in the order of `entrants.compared`."""
    p = claim_p(scores.lower, scores.upper, clusters, scores.runs)
    published = [
        PublishedRate(row.score, _effective_tasks(row, published_clusters), row.upper)
        for row in entrants.compared
        if row.evaluation is None
    ]
    if not published:
        return p, scores.lower.mean(axis=1)
    p, means = join_published(p, scores.lower, published, clusters, upper=scores.upper)
    by_rate = [place for place, row in enumerate(entrants.compared) if row.evaluation is None]
    order = np.argsort([*entrants.by_task, *by_rate])
    return p[np.ix_(order, order)], means[order]


def _effective_tasks(row: Entrant, clusters: PublishedClusters | None) -> float:
    """Return the number of independent tasks with which a row as published would be as certain."""
    return row.tasks if clusters is None else row.tasks / clusters.design_effect(row.tasks)


def group_starts(better: npt.NDArray[np.bool_]) -> list[int]:
    """Return the places at which a group begins, besides the first.

    Each row from such a place on is significantly worse than the first row of the group before it.

    better: at [i, j] whether row j is significantly better than row i; rows in the order of the board
    """
    count, first = len(better), 0
    starts: list[int] = []
    while True:
        # The first is not worse than itself, so there is always such a row.
        first = int(np.flatnonzero(~better[:, first])[-1]) + 1
        if first >= count:
            return starts
        starts.append(first)


def _counts(table: PairedTable) -> list[int]:
    return list(table[:3])


def _rounded(p: float) -> float:
    return float(f"{p:.{_FIGURES_OF_P}g}")
