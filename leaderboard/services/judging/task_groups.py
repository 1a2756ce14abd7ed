"""Store and load the group of each task of a revision.

Groups are computed from the references once. They are hidden as the references are: for counting by group,
never for display task by task.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from leaderboard.models import Benchmark, ReferenceRevision, TaskGroups
from leaderboard.services.judging.references import references_of
from scoring import registry

_NONE = 255  # the number of a task without a group


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGroupNumbers:
    """The groups of a revision's tasks, as numbers.

    breakdowns: key of each fixed breakdown -> for each task, in the order of the revision's task_ids, the
        index of its group in Breakdown.groups; 255 for a task without a group.
    strata: for each task the number of the stratum within which it is resampled.
    """

    breakdowns: Mapping[str, npt.NDArray[np.uint8]]
    strata: npt.NDArray[np.uint8]


def store_task_groups(revision: ReferenceRevision) -> None:
    """Store the groups of a new revision's tasks, for pages to read. Repeating it is harmless."""
    if not TaskGroups.objects.filter(pk=revision.pk).exists():
        packed = _pack(_compute(revision.pk, revision.benchmark.family))
        TaskGroups.objects.bulk_create([TaskGroups(revision=revision, packed=packed)], ignore_conflicts=True)


def load_task_groups(*, benchmark: Benchmark, revision_id: int) -> TaskGroupNumbers:
    """Return the groups of the tasks of a revision of the leaderboard.

    They are computed from the references where they are not stored, which takes a second or two.
    """
    digest = ReferenceRevision.objects.values_list("digest", flat=True).get(pk=revision_id)
    return _load(revision_id, digest, benchmark.family)


@lru_cache(maxsize=8)
def _load(revision_id: int, digest: str, family_slug: str) -> TaskGroupNumbers:
    # The digest is part of the key, so that no process mistakes the groups of another revision for these.
    packed = TaskGroups.objects.filter(pk=revision_id).values_list("packed", flat=True).first()
    numbers = _unpack(bytes(packed)) if packed is not None else {}
    family = registry.get(family_slug)
    if set(numbers) != {breakdown.key for breakdown in family.breakdowns if breakdown.fixed}:
        # Not stored, or stored by a release with other breakdowns; reading a page stores nothing.
        numbers = _compute(revision_id, family_slug)
    strata = numbers[family.strata] if family.strata else _one_group(revision_id)
    return TaskGroupNumbers(breakdowns=numbers, strata=strata)


def _one_group(revision_id: int) -> npt.NDArray[np.uint8]:
    revision = ReferenceRevision.objects.only("task_ids").get(pk=revision_id)
    return np.zeros(len(revision.task_ids), dtype=np.uint8)


def _compute(revision_id: int, family_slug: str) -> dict[str, npt.NDArray[np.uint8]]:
    family = registry.get(family_slug)
    revision = ReferenceRevision.objects.defer("content").get(pk=revision_id)
    groups = family.groups(references_of(revision))
    numbers = {}
    for breakdown in family.breakdowns:
        if breakdown.fixed:
            number_of = {key: number for number, key in enumerate(breakdown.groups)}
            group_of = groups[breakdown.key]
            numbers[breakdown.key] = np.array(
                [number_of[group_of[task]] if task in group_of else _NONE for task in revision.task_ids],
                dtype=np.uint8,
            )
    return numbers


def _pack(numbers: Mapping[str, npt.NDArray[np.uint8]]) -> bytes:
    """Return zlib data: a JSON line with the keys, then the numbers of each breakdown."""
    head = json.dumps(list(numbers)).encode() + b"\n"
    return zlib.compress(head + b"".join(array.tobytes() for array in numbers.values()), 9)


def _unpack(packed: bytes) -> dict[str, npt.NDArray[np.uint8]]:
    head, _, body = zlib.decompress(packed).partition(b"\n")
    keys = json.loads(head)
    if not keys:
        return {}
    return dict(zip(keys, np.frombuffer(body, dtype=np.uint8).reshape(len(keys), -1), strict=True))
