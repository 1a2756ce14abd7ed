"""Queue again a submission that failed, was cancelled, or waits for a judge."""

import logging
import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Status, Submission, User, Work
from leaderboard.models.seasons import hold_open
from leaderboard.monitoring import ids
from leaderboard.services import audit, background
from leaderboard.services.errors import WrongState
from leaderboard.services.files import store
from leaderboard.services.submissions.grade import is_long

logger = logging.getLogger(__name__)


def retry(*, submission_id: uuid.UUID, by: User) -> None:
    """Queue a failed or cancelled submission again. Raises WrongState for any other, or without its file."""
    file_id = Submission.objects.values_list("stored_as", flat=True).get(pk=submission_id)
    # A file whose check was never finished has no stored records. Ask before anything is locked.
    is_checked, has_file = store.has_records(file_id), store.can_be_scored(file_id)
    with transaction.atomic():
        submission = Submission.objects.with_tasks().select_for_update(of=("self",)).get(pk=submission_id)
        if submission.status not in (Status.FAILED, Status.CANCELLED):
            raise WrongState(_("Only a failed or cancelled submission can be tried again."))
        closed = hold_open(submission.board, timezone.now()) if submission.board.is_season else ""
        # A fault of ours may be mended until the reveal.
        if closed and (submission.status == Status.CANCELLED or submission.board.season.revealed_at):
            raise WrongState(closed)
        if not has_file:
            raise WrongState(_("Its file is no longer stored."))
        Submission.objects.filter(pk=submission_id).become(
            submission.status_once_valid if is_checked else Status.RECEIVED,
            was=Status(submission.status),
            failure="",
            is_long=is_long(submission),
            begun_at=None,
        )
        Work.objects.filter(pk=submission_id).update(attempts=0, resumed=0)
        audit.record(AuditEvent.Action.RETRIED, actor=by, submission=submission)
    with ids.bound(submission_id=submission_id):
        logger.info("it is tried again, by an organiser")
    background.enqueue(submission_id, is_long=is_long(submission))


def resume(*, submission_id: uuid.UUID, by: User | None = None) -> bool:
    """Queue an incomplete submission again; return False where it is not incomplete."""
    submission = Submission.objects.only("team").get(pk=submission_id)
    with transaction.atomic():
        queued = Submission.objects.filter(pk=submission_id).become(
            Status.QUEUED, was=Status.INCOMPLETE, is_long=True
        )
        if queued and by is not None:
            audit.record(AuditEvent.Action.RETRIED, actor=by, submission=submission)
    if queued:
        with ids.bound(submission_id=submission_id):
            logger.info("scoring is resumed%s", "" if by is None else " by an organiser")
        background.enqueue(submission_id, is_long=True)
    return bool(queued)
