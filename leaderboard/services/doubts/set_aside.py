"""Prepare a revision of the references in which tasks are set aside, or put back. Nothing is activated."""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import Board, ReferenceRevision, User
from leaderboard.services.errors import WrongState
from leaderboard.services.judging.references import references_of
from leaderboard.services.publishing.disqualify import read_reason
from leaderboard.services.publishing.import_references import store_revision
from wardboard.scoring import registry


def stage_set_aside(*, board: Board, tasks: Mapping[str, str], by: User) -> ReferenceRevision:
    """Return the revision that sets aside just these tasks, stored if there is none yet.

    tasks: id -> public reason of every task to set aside, those of the active revision included; a task of
        the active revision that is not among them is put back. {} for the revision with all tasks.
    Raises ReasonRefused; WrongState for unknown tasks, for all tasks, and where the same tasks make another
    revision already.
    """
    reasons = {task: read_reason(reason) for task, reason in tasks.items()}
    with transaction.atomic():
        board = Board.objects.select_for_update(of=("self",), no_key=True).get(pk=board.pk)
        active = board.ground_truth
        full = active.full or active
        _check(full, reasons)
        if not reasons:
            return full
        references = references_of(full)
        kept = {task: reference for task, reference in references.items() if task not in reasons}
        set_aside = [
            {"task": task, "place": place, "reason": reasons[task]}
            for place, task in enumerate(full.task_ids)
            if task in reasons
        ]
        revision, _is_new = store_revision(
            board,
            registry.get(board.benchmark).dump_references(kept),
            kept,
            origin=f"revision {full.number} without {len(set_aside)} of {len(references)} tasks",
            by=by,
            full=full,
            set_aside=set_aside,
        )
        if revision.full_id != full.pk:
            raise WrongState(
                _("Revision %(number)s was imported with just the other tasks: activate that one.")
                % {"number": revision.number}
            )
        return revision


def _check(full: ReferenceRevision, reasons: Mapping[str, str]) -> None:
    """Raise WrongState for tasks that `full` has not, or if they are all that it has."""
    unknown = sorted(set(reasons) - set(full.task_ids))
    if unknown:
        text = _("Tasks that are not among the reference answers: %(n)s, the first %(first)s.")
        raise WrongState(text % {"n": len(unknown), "first": unknown[0][:100]})
    if len(reasons) == full.task_count:
        raise WrongState(_("At least one task has to stay."))
