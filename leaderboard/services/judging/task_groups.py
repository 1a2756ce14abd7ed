"""In which group each task of a revision is: worked out from the references once, and kept packed.

As hidden as the references: what leaves here is for counting by group, never for showing task by task.
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

_NONE = 255  # the number of a task that is in no group


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGroupNumbers:
    """breakdowns: key of each fixed breakdown -> the number of each task's group, in the order of the
    revision's task_ids and of Breakdown.groups; 255 for none. strata: within which tasks are resampled."""

    breakdowns: Mapping[str, npt.NDArray[np.uint8]]
    strata: npt.NDArray[np.uint8]


def load_task_groups(*, benchmark: Benchmark, revision_id: int) -> TaskGroupNumbers:
    """Return the groups of the tasks of a revision of the board. The first time they are worked out from
    the references, which takes a second or two, and stored."""
    digest = ReferenceRevision.objects.values_list("digest", flat=True).get(pk=revision_id)
    return _load(revision_id, digest, benchmark.family)


@lru_cache(maxsize=8)
def _load(revision_id: int, digest: str, family: str) -> TaskGroupNumbers:
    # The digest is of the key, so that a process never takes the groups of one revision for another's.
    packed = TaskGroups.objects.filter(pk=revision_id).values_list("packed", flat=True).first()
    numbers = _unpack(bytes(packed)) if packed is not None else {}
    scorer = registry.get(family)
    wanted = {breakdown.key for breakdown in scorer.breakdowns if breakdown.fixed}
    if set(numbers) != wanted:
        # None yet, or those of a release that knew other breakdowns, which stay as they are.
        numbers = _work_out(revision_id, family)
        if packed is None:
            TaskGroups.objects.bulk_create(
                [TaskGroups(revision_id=revision_id, packed=_pack(numbers))], ignore_conflicts=True
            )
    strata = numbers[scorer.strata] if scorer.strata else _one_group(revision_id)
    return TaskGroupNumbers(breakdowns=numbers, strata=strata)


def _one_group(revision_id: int) -> npt.NDArray[np.uint8]:
    revision = ReferenceRevision.objects.only("task_ids").get(pk=revision_id)
    return np.zeros(len(revision.task_ids), dtype=np.uint8)


def _work_out(revision_id: int, family: str) -> dict[str, npt.NDArray[np.uint8]]:
    scorer = registry.get(family)
    revision = ReferenceRevision.objects.defer("content").get(pk=revision_id)
    found = scorer.groups(references_of(revision))
    numbers = {}
    for breakdown in scorer.breakdowns:
        if breakdown.fixed:
            number = {key: place for place, key in enumerate(breakdown.groups)}
            of = found[breakdown.key]
            numbers[breakdown.key] = np.array(
                [number[of[task]] if task in of else _NONE for task in revision.task_ids], dtype=np.uint8
            )
    return numbers


def _pack(numbers: Mapping[str, npt.NDArray[np.uint8]]) -> bytes:
    """Return zlib over a line of JSON with the keys, and the numbers one breakdown after the other."""
    head = json.dumps(list(numbers)).encode() + b"\n"
    return zlib.compress(head + b"".join(of.tobytes() for of in numbers.values()), 9)


def _unpack(packed: bytes) -> dict[str, npt.NDArray[np.uint8]]:
    head, _, body = zlib.decompress(packed).partition(b"\n")
    keys = json.loads(head)
    return dict(zip(keys, np.frombuffer(body, dtype=np.uint8).reshape(len(keys), -1), strict=True))
