"""Test all pairs of the compared rows of a board, and derive what is claimed about their ranks."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from leaderboard.services.judging.task_groups import TaskGroupNumbers
from leaderboard.services.statistics.entrants import Entrant, Entrants, Scores, scores_of
from leaderboard.services.statistics.p_values import ALPHA
from leaderboard.services.statistics.stored import Neighbours, Results
from wardboard.scoring import registry
from wardboard.scoring.benchmark import PublishedClusters
from wardboard.scoring.statistics.open_answers import claim_p
from wardboard.scoring.statistics.pairs import PairedTable, paired_table
from wardboard.scoring.statistics.published import PublishedRate, join_published
from wardboard.scoring.statistics.rank_claims import Marks, claims_from_p

_LEVEL = 1 - ALPHA
_FIGURES_OF_P = 9


def compare_all(
    *,
    benchmark_slug: str,
    revision_id: int,
    groups: TaskGroupNumbers,
    entrants: Entrants,
) -> Results:
    """Return the results of the tests of all pairs of `entrants`, at least one of which is compared by task.

    revision_id, groups: of the board's tasks
    """
    rows, by_task, tasks = entrants.compared, entrants.by_task, len(groups.strata)
    evaluations = [row.evaluation for row in rows if row.evaluation is not None]
    scores = scores_of(benchmark_slug, evaluations, tasks)
    lower, upper, _ = scores
    p, means = _test(entrants, scores, groups.cluster_labels, registry.get(benchmark_slug).published_clusters)
    claims = claims_from_p(p, means, _LEVEL)
    below_first = np.flatnonzero(claims.better[:, 0])
    place_of = {place: number for number, place in enumerate(by_task)}

    def neighbours(above: int, below: int) -> Neighbours:
        adjusted = _rounded(claims.adjusted[above, below])
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
        better=[_bits(row) for row in claims.better],
        worse=claims.better.sum(axis=0).tolist(),
        undecided=claims.undecided,
        below=[neighbours(upper, lower) for upper, lower in pairwise(range(len(rows)))],
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


def _bits(marks: Marks) -> str:
    return f"{int.from_bytes(np.packbits(marks, bitorder='little').tobytes(), 'little'):x}"


def _effective_tasks(row: Entrant, clusters: PublishedClusters | None) -> float:
    """Return the number of independent tasks with which a row as published would be as certain."""
    return row.tasks if clusters is None else row.tasks / clusters.design_effect(row.tasks)


def _counts(table: PairedTable) -> list[int]:
    return list(table[:3])


def _rounded(p: float) -> float:
    return float(f"{p:.{_FIGURES_OF_P}g}")
