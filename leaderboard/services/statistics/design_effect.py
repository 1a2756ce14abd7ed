"""Estimate how much clusters of tasks widen the differences between the systems of a board."""

from leaderboard.models import Board
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.statistics.entrants import entrants_of, scores_of
from wardboard.scoring.statistics.clusters import difference_effect

# Fewer systems would be one or two pairs.
_FEWEST, _MOST = 3, 20


def difference_effect_of(board: Board) -> float | None:
    """Return the design effect of the difference of two of the first systems, 1 or more.

    The systems are those of one judge that are compared task by task, 3 to 20 of them. None where tasks are
    independent, or there are fewer.
    """
    if not board.is_open:
        return None
    groups = load_task_groups(board=board, revision_id=board.ground_truth.pk)
    if groups.cluster_labels is None:
        return None
    of_judges = [
        [row.evaluation for row in entrants.compared if row.evaluation is not None]
        for entrants in entrants_of(board=board)
    ]
    evaluations = max(of_judges, key=len, default=[])[:_MOST]
    if len(evaluations) < _FEWEST:
        return None
    scores = scores_of(board.benchmark, evaluations, len(groups.strata))
    return difference_effect(scores.lower, groups.cluster_labels)
