"""Compute the groups and clusters of each task of a revision from its references, once in a process.

They are hidden as the references are: for counting by group and
for allowing for clusters, never for display task by task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from leaderboard.models import Board, ReferenceRevision
from leaderboard.services.judging.references import references_of
from wardboard.scoring import registry

_NONE = 255  # the number of a task without a group


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGroupNumbers:
    """The groups of a revision's tasks, as numbers.

    breakdowns: key of each fixed breakdown -> for each task, in the order of the revision's task_ids, the
        index of its group in Breakdown.groups; 255 for a task without a group.
    strata: for each task the number of the stratum within which it is resampled.
    clusters: key of each of the benchmark's clusters that the revision states -> for each task the number of
        its cluster, from 0. Empty for independent tasks.
    """

    breakdowns: Mapping[str, npt.NDArray[np.uint8]]
    strata: npt.NDArray[np.uint8]
    clusters: Mapping[str, npt.NDArray[np.uint32]]

    @property
    def cluster_labels(self) -> list[npt.NDArray[np.uint32]] | None:
        """The clusters as `wardboard.scoring.statistics` takes them; None for independent tasks."""
        return list(self.clusters.values()) or None


def load_task_groups(*, board: Board, revision_id: int) -> TaskGroupNumbers:
    """Return the groups and clusters of the tasks of a revision of the leaderboard."""
    digest = ReferenceRevision.objects.values_list("digest", flat=True).get(pk=revision_id)
    return _load(revision_id, digest, board.benchmark)


@lru_cache(maxsize=8)
def _load(revision_id: int, digest: str, benchmark_slug: str) -> TaskGroupNumbers:
    # The digest is part of the key, so that no process mistakes the groups of another revision for these.
    benchmark = registry.get(benchmark_slug)
    revision = ReferenceRevision.objects.defer("content").get(pk=revision_id, digest=digest)
    references, tasks = references_of(revision), revision.task_ids
    groups = benchmark.groups(references)
    numbers = {}
    for breakdown in benchmark.breakdowns:
        if breakdown.fixed:
            number_of = {key: number for number, key in enumerate(breakdown.groups)}
            group_of = groups[breakdown.key]
            numbers[breakdown.key] = np.array(
                [number_of[group_of[task]] if task in group_of else _NONE for task in tasks], dtype=np.uint8
            )
    labels_by_key = benchmark.cluster_labels(references) if benchmark.clusters else {}
    return TaskGroupNumbers(
        breakdowns=numbers,
        strata=numbers[benchmark.strata] if benchmark.strata else np.zeros(len(tasks), dtype=np.uint8),
        clusters={
            cluster.key: _number(tasks, labels_by_key[cluster.key])
            for cluster in benchmark.clusters
            if cluster.key in labels_by_key
        },
    )


def _number(task_ids: Sequence[str], labels: Mapping[str, str]) -> npt.NDArray[np.uint32]:
    """Number the clusters in the order of the tasks; a task without a label is a cluster of its own."""
    # A pair for a label, so that no label is mistaken for the id of a task.
    names = [("label", labels[task]) if task in labels else ("task", task) for task in task_ids]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.uint32)
