"""Load hidden references, and the keys of their commitments, from the database: the one place that does."""

from collections.abc import Mapping
from copy import copy
from functools import lru_cache
from typing import Any

from leaderboard.models import Board, CommitmentKey, ReferenceRevision, TaskTexts
from wardboard.scoring import registry


def references_of(revision: ReferenceRevision) -> Mapping[str, Any]:
    """Return task id -> reference, of the benchmark's own type.

    Loaded once per process: a revision never changes, and a changed declaration has another key.
    """
    benchmark = Board.objects.values_list("benchmark", flat=True).get(pk=revision.board_id)
    return _load(revision.pk, revision.digest, benchmark)


def references_set_aside(revision: ReferenceRevision) -> Mapping[str, Any]:
    """Return task id -> reference of the tasks that a revision sets aside, in order; {} for none."""
    if revision.full_id is None:
        return {}
    references = references_of(ReferenceRevision.objects.without_references().get(pk=revision.full_id))
    return {task["task"]: references[task["task"]] for task in revision.set_aside}


def changed_tasks(old: ReferenceRevision, new: ReferenceRevision) -> list[str]:
    """Return the ids of the tasks of both revisions whose reference differs, in the order of the new one."""
    before, after = references_of(old), references_of(new)
    return [task for task, reference in after.items() if task in before and before[task] != reference]


@lru_cache(maxsize=8)
def patients_of(pk: int, digest: str) -> frozenset[str]:
    """Return the published patients of all tasks that a file of a revision may hold.

    Empty where the benchmark does not know all. pk, digest: of the revision
    """
    columns = ReferenceRevision.objects.values_list("board__benchmark", "full", "full__digest")
    benchmark, full, full_digest = columns.get(pk=pk)
    references = _load(*((pk, digest) if full is None else (full, full_digest)), benchmark)
    return registry.get(benchmark).patients(references)


def texts_of(revision: ReferenceRevision) -> Mapping[str, str]:
    """Return task id -> what the task asks for, of all tasks; {} where the import did not know it."""
    row = TaskTexts.objects.filter(revision=revision.full_id or revision.pk).first()
    return row.texts if row else {}


def copy_revision(revision_id: int, board: Board) -> ReferenceRevision:
    """Give a season the references of its leaderboard, with their number, digest, commitment and its key."""
    original = ReferenceRevision.objects.get(pk=revision_id)
    copied = copy(original)
    copied.pk, copied._state.adding, copied.board = None, True, board
    if original.full_id is not None:
        copied.full = copy_revision(original.full_id, board)
    copied.save()
    for row in TaskTexts.objects.filter(revision=original):
        TaskTexts.objects.create(revision=copied, texts=row.texts)
    for key in CommitmentKey.objects.filter(revision=original):
        CommitmentKey.objects.create(revision=copied, key=key.key)
    return copied


@lru_cache(maxsize=8)
def _load(pk: int, digest: str, benchmark: str) -> Mapping[str, Any]:
    content = ReferenceRevision.objects.values_list("content", flat=True).get(pk=pk, digest=digest)
    return registry.get(benchmark).load_references(bytes(content))


def visible_digest(board: Board, revision: ReferenceRevision) -> str | None:
    """Return the plain SHA-256 of references that are public; None of hidden ones.

    Who knows all of those but one could test guesses at it. Their keyed commitment is public.
    """
    return revision.digest if board.is_demo else None


def reveal_key(revision: ReferenceRevision) -> str:
    """Return the key of a revision's commitment as hexadecimal digits; "" where there is none.

    With it and all answers but one, the last can be found by guessing.
    """
    row = CommitmentKey.objects.filter(revision=revision).first()
    return bytes(row.key).hex() if row else ""
