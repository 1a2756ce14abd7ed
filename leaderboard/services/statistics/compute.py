"""Working out in the background how sure a board's ranks are. What pages read of it is in `statistics`.

Nothing is locked and no transaction is open while it computes. Everything of a board at one time is stored
at once, so a worker that is killed leaves nothing half, and of two at once the second one stores nothing.
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

# Raised when the same rows would be given other figures.
METHOD = 2
RESAMPLES = 2_000
_TRIES = 5
# In a first group of more, not every pair is tested.
_MOST_ALIKE = 100


def work_out(*, benchmark_id: int) -> bool:
    """Work out the statistics of the board as it is now; return whether there was something to store.

    Does nothing where they are there, where there are no references, and where no row can take part.
    """
    for _ in range(_TRIES):
        benchmark = _board(benchmark_id)
        if benchmark is None or not benchmark.is_open:
            return False
        number = benchmark.state.rows_number
        if BoardStatistics.objects.filter(benchmark=benchmark, number=number).exists():
            return False
        entrants = entrants_of(benchmark=benchmark)
        # Rows that changed while they were read are read again; what they name never changes.
        if BoardState.objects.values_list("rows_number", flat=True).get(pk=benchmark_id) == number:
            return bool(entrants) and _store(benchmark, [_row(benchmark, number, one) for one in entrants])
    # Whatever changes the board hands it over again.
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
    """Return the row to store for one judge; what was worked out before from the same is not again."""
    started = perf_counter()
    digest = digest_of(benchmark.ground_truth, entrants)
    is_known = BoardStatistics.objects.filter(benchmark=benchmark, digest=digest).exists()
    results = None if is_known else results_of(benchmark, entrants)
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
    """Return the sha256 of all that the results depend on, in hexadecimal digits."""
    said = [
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
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def seed_of(revision: ReferenceRevision) -> int:
    """Return the seed of whatever is resampled: of the revision, so that the same tasks are drawn whoever is
    on the board, and nobody chose it."""
    return int(revision.digest[:8], 16)


def results_of(benchmark: Benchmark, entrants: Entrants) -> Results:
    """Return what the paired tests and the bootstrap say of `entrants`."""
    revision = benchmark.ground_truth
    tasks, seed = revision.task_count, seed_of(revision)
    strata = task_groups.load_task_groups(benchmark=benchmark, revision_id=revision.pk).strata
    right = right_of(benchmark.family, entrants.evaluations, tasks)
    others = right_in_pieces(benchmark.family, entrants.others, tasks)
    ranks = rank_intervals(right, strata, others=others, fixed=entrants.fixed, seed=seed, resamples=RESAMPLES)
    groups = tie_groups(right, alpha=ALPHA)
    begins = [0] + [place + 1 for place, (one, other) in enumerate(pairwise(groups)) if one != other]
    like = _like_first(right)
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
        steps=[list(paired_table(right[one], right[other])[:3]) for one, other in pairwise(begins)],
        differences=_differences(benchmark, entrants, strata, seed),
        like_first=len(like),
        like_last=max(like, default=0),
        are_alike=_are_alike(right[: groups.count(1)]),
        fixed_above=_no_lower(entrants.fixed, right[0]),
        fixed_near=_no_lower(entrants.fixed, right[max(like, default=0)]),
        gaps=sorted(gap for gap in entrants.gaps if 0 < gap < len(right)),
    )


def _no_lower(fixed: Sequence[float], right: npt.NDArray[np.bool_]) -> int:
    """Return how many of the fixed scores are no lower than that of a system with these verdicts."""
    return sum(score >= int(right.sum()) / right.size for score in fixed)


def _like_first(right: npt.NDArray[np.bool_]) -> list[int]:
    """Return the places of those that exact McNemar does not tell from the first."""
    both = np.count_nonzero(right & right[0], axis=1)
    p = mcnemar_all(np.count_nonzero(right[0]) - both, np.count_nonzero(right, axis=1) - both)
    return [int(place) for place in np.flatnonzero(p >= ALPHA) if place]


def _are_alike(right: npt.NDArray[np.bool_]) -> bool | None:
    """Return whether no two can be told apart; None where there are too many to ask."""
    return (
        None
        if len(right) > _MOST_ALIKE
        else all(len(_like_first(right[place:])) == len(right) - place - 1 for place in range(len(right)))
    )


def _differences(
    benchmark: Benchmark, entrants: Entrants, strata: npt.NDArray[np.uint8], seed: int
) -> dict[str, list[list[int] | None]]:
    """Return metric -> the difference of each system and the next below it, with its interval."""
    figures = figures_of(benchmark.family, entrants.evaluations, len(strata))
    pairs = list(pairwise(range(len(entrants.systems))))
    found: dict[str, list[list[int] | None]] = {}
    for metric, values in figures.items():
        differences = paired_differences(
            cast("npt.NDArray[np.float64]", values), pairs, strata, seed=seed, resamples=RESAMPLES
        )
        found[metric] = [one and in_parts(one) for one in differences]
    return found
