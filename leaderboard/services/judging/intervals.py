"""Compute the interval of an evaluation's rate where the benchmark declares clusters of tasks."""

from collections.abc import Collection
from typing import Any

import numpy as np

from leaderboard.models import Board, Evaluation
from leaderboard.services.judging.task_groups import load_task_groups
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Clusters
from wardboard.scoring.statistics.clusters import rate_interval
from wardboard.scoring.statistics.runs import pass_chances


def clustered_interval(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return `Evaluation.clustered_interval` of a saved or unsaved evaluation; None for Wilson's interval.

    The score of a task is the mean over its runs. Once published, the ends show how much the patients of a
    board matter to a system: one figure of three decimals, from which no label can be told.
    """
    revision = evaluation.revision
    benchmark = registry.get(revision.board.benchmark)
    if not benchmark.clusters:
        return None
    groups = load_task_groups(board=revision.board, revision_id=revision.pk)
    if groups.cluster_labels is None:
        return None
    verdicts = np.frombuffer(bytes(evaluation.verdicts), dtype=np.uint8)
    right = np.array([float(bool(benchmark.is_correct(reason))) for reason in benchmark.reasons])
    by_run = right[verdicts.reshape(-1, groups.strata.size)]
    runs, counts = len(by_run), by_run.sum(axis=0).astype(int).tolist()
    # pass^1 is the rate.
    chances = (pass_chances(counts, runs, k) for k in range(1, runs + 1))
    passes = [[*rate_interval(each, groups.cluster_labels)[1:3]] for each in chances]
    low, high = passes[0]
    return {"low": low, "high": high, "by": list(groups.clusters), "passes": passes}


def clusters_by(evaluation: Evaluation | None, board: Board) -> list[Clusters]:
    """Return the clusters for which the interval of a row allows; [] for Wilson's interval.

    evaluation: of the row; None for one whose results by task are not known
    """
    benchmark = registry.get(board.benchmark)
    keys: Collection[str]
    if evaluation is None:
        published = benchmark.published_clusters
        keys = (published.kind,) if published else ()
    else:
        keys = evaluation.clustered_interval["by"] if evaluation.clustered_interval else ()
    return [clusters for clusters in benchmark.clusters if clusters.key in keys]
