"""Store and load the groups and clusters of each task of a revision.

They are computed from the references once. They are hidden as the references are: for counting by group and
for allowing for clusters, never for display task by task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from leaderboard.models import Board, ReferenceRevision, TaskGroups
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


def store_task_groups(revision: ReferenceRevision) -> None:
    """Store the groups and clusters of a new revision's tasks. Repeating it is harmless."""
    if not TaskGroups.objects.filter(pk=revision.pk).exists():
        TaskGroups.objects.bulk_create(
            [_compute(revision.pk, revision.board.benchmark)], ignore_conflicts=True
        )


def load_task_groups(*, board: Board, revision_id: int) -> TaskGroupNumbers:
    """Return the groups and clusters of the tasks of a revision of the leaderboard.

    They are computed from the references where they are not stored, which takes a second or two.
    """
    digest = ReferenceRevision.objects.values_list("digest", flat=True).get(pk=revision_id)
    return _load(revision_id, digest, board.benchmark)


@lru_cache(maxsize=8)
def _load(revision_id: int, digest: str, benchmark_slug: str) -> TaskGroupNumbers:
    # The digest is part of the key, so that no process mistakes the groups of another revision for these.
    row = TaskGroups.objects.filter(pk=revision_id).first()
    benchmark = registry.get(benchmark_slug)
    numbers = _unpack(bytes(row.packed)) if row else {}
    if row is None or set(numbers) != {
        breakdown.key for breakdown in benchmark.breakdowns if breakdown.fixed
    }:
        # Not stored, or stored by a release with other breakdowns; reading a page stores nothing.
        row = _compute(revision_id, benchmark_slug)
        numbers = _unpack(bytes(row.packed))
    clusters = _unpack(bytes(row.clusters))
    strata = numbers[benchmark.strata] if benchmark.strata else _one_group(revision_id)
    return TaskGroupNumbers(breakdowns=numbers, strata=strata, clusters=clusters)


def _one_group(revision_id: int) -> npt.NDArray[np.uint8]:
    revision = ReferenceRevision.objects.only("task_ids").get(pk=revision_id)
    return np.zeros(len(revision.task_ids), dtype=np.uint8)


def _compute(revision_id: int, benchmark_slug: str) -> TaskGroups:
    """Return the row of a revision, unsaved."""
    benchmark = registry.get(benchmark_slug)
    revision = ReferenceRevision.objects.defer("content").get(pk=revision_id)
    references = references_of(revision)
    groups = benchmark.groups(references)
    numbers = {}
    for breakdown in benchmark.breakdowns:
        if breakdown.fixed:
            number_of = {key: number for number, key in enumerate(breakdown.groups)}
            group_of = groups[breakdown.key]
            numbers[breakdown.key] = np.array(
                [number_of[group_of[task]] if task in group_of else _NONE for task in revision.task_ids],
                dtype=np.uint8,
            )
    labels_by_key = benchmark.cluster_labels(references) if benchmark.clusters else {}
    clusters = {
        cluster.key: _number(revision.task_ids, labels_by_key[cluster.key])
        for cluster in benchmark.clusters
        if cluster.key in labels_by_key
    }
    return TaskGroups(revision_id=revision_id, packed=_pack(numbers), clusters=_pack(clusters))


def _number(task_ids: Sequence[str], labels: Mapping[str, str]) -> npt.NDArray[np.uint32]:
    """Number the clusters in the order of the tasks; a task without a label is a cluster of its own."""
    # A pair for a label, so that no label is mistaken for the id of a task.
    names = [("label", labels[task]) if task in labels else ("task", task) for task in task_ids]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.uint32)


def _pack(numbers: Mapping[str, Any]) -> bytes:
    """Return the numbers of each breakdown, or of each kind of clusters, as one compressed file of NumPy."""
    file = BytesIO()
    np.savez_compressed(file, **numbers)
    return file.getvalue()


def _unpack(packed: bytes) -> dict[str, npt.NDArray[Any]]:
    with np.load(BytesIO(packed)) as stored:
        return dict(stored)
