"""Compute the interval of an evaluation's rate where the benchmark declares clusters of tasks."""

from collections.abc import Collection
from typing import Any

import numpy as np

from leaderboard.models import Board, Evaluation
from leaderboard.models.evaluations import StandingFigures
from leaderboard.services.judging.task_groups import load_task_groups
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Clusters, PublishedClusters
from wardboard.scoring.statistics.clusters import rate_interval
from wardboard.scoring.statistics.runs import pass_chances


def clustered_interval(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return `Evaluation.clustered_interval` of a saved or unsaved evaluation; None for Wilson's of its rate.

    The score of a task is the mean over its runs. With answers left open the interval goes from the lower
    limit of the score without them to the upper limit of the score with all of them right (Imbens & Manski,
    Econometrica 72 (2004) 1845-1857). Once published, the ends show how much the patients of a board matter
    to a system: one figure of three decimals, from which no label can be told.
    """
    revision = evaluation.revision
    benchmark = registry.get(revision.board.benchmark)
    verdicts = np.frombuffer(bytes(evaluation.verdicts), dtype=np.uint8)
    is_correct = [benchmark.is_correct(reason) for reason in benchmark.reasons]
    lower, upper = (
        np.array([value in counted for value in is_correct])[verdicts] for counted in ((True,), (True, None))
    )
    has_open = bool((lower != upper).any())
    if not (benchmark.clusters or has_open):
        return None
    groups = load_task_groups(board=revision.board, revision_id=revision.pk)
    if groups.cluster_labels is None and not has_open:
        return None
    lower, upper = (scores.reshape(-1, groups.strata.size) for scores in (lower, upper))
    runs, counts = len(lower), lower.sum(axis=0).tolist()
    # pass^1 is the rate.
    chances = (pass_chances(counts, runs, k) for k in range(1, runs + 1))
    passes = [[*rate_interval(each, groups.cluster_labels)[1:3]] for each in chances]
    low, high = passes[0]
    if has_open:
        high = rate_interval(upper.mean(axis=0), groups.cluster_labels).high
    return {"low": low, "high": high, "by": list(groups.clusters), "passes": passes}


def clusters_by(
    result: Evaluation | StandingFigures, board: Board
) -> tuple[list[Clusters], PublishedClusters | None]:
    """Return the clusters for which an interval allows, none for Wilson's, and the design effect behind it.

    result: an evaluation, or a row without one. The second is None where the verdicts by task are known.
    """
    benchmark, published = registry.get(board.benchmark), None
    keys: Collection[str] = ()
    if isinstance(result, Evaluation):
        keys = result.clustered_interval["by"] if result.clustered_interval else ()
    else:
        if result.is_baseline and board.active_revision_id:
            keys = load_task_groups(board=board, revision_id=board.active_revision_id).clusters
        stated = benchmark.published_clusters
        if not keys and stated and stated.design_effect(result.total or 0) > 1:
            keys, published = (stated.kind,), stated
    return [clusters for clusters in benchmark.clusters if clusters.key in keys], published
