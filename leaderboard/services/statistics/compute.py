"""Compute in the background how certain a board's ranks are; `known` reads the results.

The computation holds no lock and no transaction. All results of a board at one event are stored at once, so a
killed worker leaves nothing half done, and the second of two concurrent workers stores nothing.
"""

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise
from time import perf_counter
from typing import cast

import numpy as np
import numpy.typing as npt
from django.db import IntegrityError, transaction

from leaderboard.models import Benchmark, BoardState, BoardStatistics, ReferenceRevision
from leaderboard.services.judging import task_groups
from leaderboard.services.record import events
from leaderboard.services.statistics.bootstrap import RESAMPLES, seed_of
from leaderboard.services.statistics.entrants import (
    Entrants,
    entrants_of,
    figures_of,
    right_in_pieces,
    right_of,
)
from leaderboard.services.statistics.p_values import ALPHA
from leaderboard.services.statistics.stored import Results, in_parts, pack
from scoring.statistics.pairs import adjacent_pairs, mcnemar_all, paired_table, tie_groups
from scoring.statistics.ranks import rank_intervals
from scoring.statistics.resampling import paired_differences

# Raised when the same rows would get other figures.
METHOD = 2
_TRIES = 5
# In a first tie group of more systems, not every pair is tested.
_MOST_TESTED_PAIRWISE = 100


def compute_statistics(*, benchmark_id: int) -> bool:
    """Compute the statistics of the current board; return whether any were stored.

    Does nothing if they exist, the board has no references, or no row can be tested.
    """
    for _ in range(_TRIES):
        benchmark = _board(benchmark_id)
        if benchmark is None or not benchmark.is_open:
            return False
        number = benchmark.state.rows_number
        if BoardStatistics.objects.filter(benchmark=benchmark, number=number).exists():
            return False
        entrants = entrants_of(benchmark=benchmark)
        # If rows changed while they were read, read them again; the evaluations themselves never change.
        if BoardState.objects.values_list("rows_number", flat=True).get(pk=benchmark_id) == number:
            return bool(entrants) and _store(
                benchmark, [_row(benchmark, number, judged) for judged in entrants]
            )
    # The next change of the board enqueues it again.
    return False


def _board(benchmark_id: int) -> Benchmark | None:
    return Benchmark.objects.with_task_ids().filter(pk=benchmark_id).first()


def _store(benchmark: Benchmark, rows: list[BoardStatistics]) -> bool:
    try:
        with transaction.atomic():
            BoardStatistics.objects.bulk_create(rows)
            events.touch(benchmark=benchmark)
    except IntegrityError:
        return False  # another worker was there first
    return True


def _row(benchmark: Benchmark, number: int, entrants: Entrants) -> BoardStatistics:
    """Return the row to store for one judge, without results if the same input has some already."""
    started = perf_counter()
    digest = digest_of(benchmark.ground_truth, entrants)
    is_known = BoardStatistics.objects.filter(benchmark=benchmark, digest=digest).exists()
    results = None if is_known else compute_results(benchmark, entrants)
    return BoardStatistics(
        benchmark=benchmark,
        number=number,
        judge=entrants.judge,
        digest=digest,
        systems=len(entrants.systems),
        payload=pack(results, left_out=entrants.left_out),
        seconds=round(perf_counter() - started, 3),
    )


def digest_of(revision: ReferenceRevision, entrants: Entrants) -> str:
    """Return the SHA-256 of all input of the results, as hexadecimal digits."""
    inputs = [
        METHOD,
        RESAMPLES,
        seed_of(revision),
        revision.pk,
        revision.digest,
        entrants.systems,
        entrants.evaluations,
        sorted(entrants.others),
        sorted(entrants.fixed),
        sorted(entrants.gaps),
    ]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def compute_results(benchmark: Benchmark, entrants: Entrants) -> Results:
    """Compute the paired tests and the bootstrap of `entrants`."""
    revision = benchmark.ground_truth
    tasks, seed = revision.task_count, seed_of(revision)
    strata = task_groups.load_task_groups(benchmark=benchmark, revision_id=revision.pk).strata
    right = right_of(benchmark.family, entrants.evaluations, tasks)
    others = right_in_pieces(benchmark.family, entrants.others, tasks)
    ranks = rank_intervals(right, strata, others=others, fixed=entrants.fixed, seed=seed, resamples=RESAMPLES)
    groups = tie_groups(right, alpha=ALPHA)
    starts = [0] + [place + 1 for place, (upper, lower) in enumerate(pairwise(groups)) if upper != lower]
    tied_places = _places_tied_with_first(right)
    return Results(
        method=METHOD,
        revision=revision.pk,
        tasks=tasks,
        resamples=RESAMPLES,
        is_cut=entrants.left_out > 0,
        fixed=len(entrants.fixed),
        last_right=int(right[-1].sum()),
        systems=entrants.systems,
        low=[rank.best for rank in ranks],
        high=[rank.worst for rank in ranks],
        group=groups,
        below=[list(pair.table[:3]) for pair in adjacent_pairs(right)],
        steps=[list(paired_table(right[upper], right[lower])[:3]) for upper, lower in pairwise(starts)],
        differences=_differences(benchmark, entrants, strata, seed),
        like_first=len(tied_places),
        like_last=max(tied_places, default=0),
        are_alike=_are_all_tied(right[: groups.count(1)]),
        fixed_above=_count_no_lower(entrants.fixed, right[0]),
        fixed_near=_count_no_lower(entrants.fixed, right[max(tied_places, default=0)]),
        gaps=sorted(gap for gap in entrants.gaps if 0 < gap < len(right)),
    )


def _count_no_lower(fixed: Sequence[float], right: npt.NDArray[np.bool_]) -> int:
    """Count the fixed scores that are no lower than the score of a system with these verdicts."""
    return sum(score >= int(right.sum()) / right.size for score in fixed)


def _places_tied_with_first(right: npt.NDArray[np.bool_]) -> list[int]:
    """Return the places of the systems that do not differ from the first by exact McNemar."""
    both = np.count_nonzero(right & right[0], axis=1)
    p = mcnemar_all(np.count_nonzero(right[0]) - both, np.count_nonzero(right, axis=1) - both)
    return [int(place) for place in np.flatnonzero(p >= ALPHA) if place]


def _are_all_tied(right: npt.NDArray[np.bool_]) -> bool | None:
    """Return whether no two systems differ significantly; None if there are too many to test."""
    if len(right) > _MOST_TESTED_PAIRWISE:
        return None
    below = range(len(right) - 1, -1, -1)
    return all(len(_places_tied_with_first(right[place:])) == count for place, count in enumerate(below))


def _differences(
    benchmark: Benchmark, entrants: Entrants, strata: npt.NDArray[np.uint8], seed: int
) -> dict[str, list[list[int] | None]]:
    """Return metric -> difference of each system and the next one below it, with its interval."""
    figures = figures_of(benchmark.family, entrants.evaluations, len(strata))
    pairs = list(pairwise(range(len(entrants.systems))))
    by_metric: dict[str, list[list[int] | None]] = {}
    for metric, values in figures.items():
        differences = paired_differences(
            cast("npt.NDArray[np.float64]", values), pairs, strata, seed=seed, resamples=RESAMPLES
        )
        by_metric[metric] = [difference and in_parts(difference) for difference in differences]
    return by_metric
