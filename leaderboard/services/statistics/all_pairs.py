"""Test all pairs of the compared rows of a board, and derive what is claimed about their ranks."""

from itertools import pairwise

import numpy as np

from leaderboard.services.judging.task_groups import TaskGroupNumbers
from leaderboard.services.statistics.entrants import Entrants, Scores
from leaderboard.services.statistics.p_values import ALPHA
from leaderboard.services.statistics.stored import Neighbours, Results
from wardboard.scoring.statistics.open_answers import claim_p
from wardboard.scoring.statistics.pairs import paired_table
from wardboard.scoring.statistics.rank_claims import claims_from_p

_LEVEL = 1 - ALPHA
_FIGURES_OF_P = 9


def compare_all(*, revision_id: int, groups: TaskGroupNumbers, entrants: Entrants, scores: Scores) -> Results:
    """Return the results of the tests of all pairs of `entrants`, in the order of `scores`."""
    rows, tasks = entrants.compared, len(groups.strata)
    lower, upper, runs = scores
    claims = claims_from_p(claim_p(lower, upper, groups.cluster_labels, runs), lower.mean(axis=1), _LEVEL)

    def neighbours(above: int, below: int) -> Neighbours:
        has_open = (upper[below] > lower[below]).any()
        worst = paired_table(lower[above], upper[below])[:3] if has_open else None
        adjusted = float(f"{claims.adjusted[above, below]:.{_FIGURES_OF_P}g}")
        return Neighbours(paired_table(lower[above], lower[below])[:3], adjusted, worst)

    return Results(
        revision=revision_id,
        tasks=tasks,
        left_out=entrants.left_out,
        uncompared=entrants.uncompared,
        last_score=rows[-1].score,
        systems=[row.system for row in rows],
        better=[
            f"{int.from_bytes(np.packbits(row, bitorder='little').tobytes(), 'little'):x}"
            for row in claims.better
        ],
        worse=claims.better.sum(axis=0).tolist(),
        undecided=claims.undecided,
        below=[neighbours(upper, lower) for upper, lower in pairwise(range(len(rows)))],
        is_clustered=groups.cluster_labels is not None,
        has_open=scores.has_open,
    )
