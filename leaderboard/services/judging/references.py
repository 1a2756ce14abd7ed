"""Load hidden references from the database: the one place that does."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from leaderboard.models import ReferenceRevision
from scoring import registry


def references_of(revision: ReferenceRevision) -> Mapping[str, Any]:
    """Return task id -> reference, of the benchmark's own type.

    Loaded once per process: a revision never changes.
    """
    return _load(revision.pk, revision.digest)


def changed_tasks(old: ReferenceRevision, new: ReferenceRevision) -> list[str]:
    """Return the ids of the tasks of both revisions whose reference differs, in the order of the new one."""
    before, after = references_of(old), references_of(new)
    return [task for task, reference in after.items() if task in before and before[task] != reference]


@lru_cache(maxsize=8)
def patients_of(pk: int, digest: str) -> frozenset[str]:
    """Return the published patients of a revision; empty where the family does not know all.

    pk, digest: of the revision
    """
    family = ReferenceRevision.objects.values_list("benchmark__family", flat=True).get(pk=pk)
    return registry.get(family).patients(_load(pk, digest))


@lru_cache(maxsize=8)
def _load(pk: int, digest: str) -> Mapping[str, Any]:
    row = (
        ReferenceRevision.objects.select_related("benchmark")
        .only("content", "benchmark__family")
        .get(pk=pk, digest=digest)
    )
    return registry.get(row.benchmark.family).load_references(bytes(row.content))
