"""From a received file to a queued submission, or to a rejected one with its report."""

import logging
import uuid

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.models import AuditEvent, Status, Submission
from leaderboard.services import audit, background
from leaderboard.services.background import Task
from leaderboard.services.files import store
from leaderboard.services.files.read import extract_records
from leaderboard.services.files.remarks import as_stored
from leaderboard.services.files.store import StoredFile
from leaderboard.services.submissions.grade import OUR_FAULT, fail, is_long, with_tasks
from scoring.benchmark import Reading
from scoring.reading.problems import Remarks, SubmissionInvalid

logger = logging.getLogger(__name__)

# A run's file is about so many times smaller when packed.
_PACKED = 8


def is_checked_later(file: StoredFile) -> bool:
    """Whether a file is so large that its check is not waited for; what is packed counts for more."""
    with store.open_original(file.id) as source:
        is_packed = source.read(2) == b"\x1f\x8b"
    return file.size * (_PACKED if is_packed else 1) > settings.CHECK_AT_ONCE_BYTES


def admit(*, submission_id: uuid.UUID, reading: Reading | None = None) -> None:
    """Check a received file: reject it with its report, or queue it and have it scored.

    reading: what the file holds, where the caller has read and kept it. Does nothing for a submission
    that is not received (another worker has checked it).
    """
    submission = with_tasks().filter(pk=submission_id, status=Status.RECEIVED).first()
    if submission is None:
        return
    try:
        reading = reading or extract_records(benchmark=submission.benchmark, file_id=submission.stored_as)
    except SubmissionInvalid as error:
        _reject(submission, error)
        return
    except Exception:
        # The checker's own fault, whatever it was: the row must not be checked again at every sweep.
        logger.exception("checking of submission %s failed", submission_id)
        fail(submission_id, OUR_FAULT, was=Status.RECEIVED)
        return
    admitted = Submission.objects.filter(pk=submission_id).become(
        Status.QUEUED,
        was=Status.RECEIVED,
        moved_at=timezone.now(),
        attempts=0,
        format=reading.format,
        count=reading.count,
        **_listed("warning", reading.warnings),
    )
    if not admitted:
        return
    if submission.benchmark.keep_originals:
        store.pack_original(submission.stored_as)
    else:
        store.drop_original(submission.stored_as)
    background.enqueue(Task.GRADE, submission_id, is_long=is_long(submission))


def check_again(*, submission: Submission) -> None:
    """Check a file whose check was cut off. Of several who want to, one does."""
    # Counted first: a file that kills whoever checks it is given up too.
    mine = Submission.objects.filter(
        pk=submission.pk, status=Status.RECEIVED, moved_at=submission.moved_at
    ).update(attempts=F("attempts") + 1, moved_at=timezone.now())
    if mine:
        background.enqueue(Task.ADMIT, submission.pk)


def still_rejected(submission: Submission, file: StoredFile) -> bool:
    """Whether a rejected file still is (the checks may have been mended since); renews its report."""
    try:
        extract_records(benchmark=submission.benchmark, file_id=file.id)
    except SubmissionInvalid as error:
        Submission.objects.filter(pk=submission.pk, status=Status.REJECTED).update(**_report(error))
        return True
    return False


def _listed(name: str, remarks: Remarks) -> dict:
    return {f"{name}s": as_stored(remarks.listed), f"{name}_count": remarks.total}


def _report(error: SubmissionInvalid) -> dict:
    return {**_listed("problem", error.problems), **_listed("warning", error.warnings)}


def _reject(submission: Submission, error: SubmissionInvalid) -> None:
    with transaction.atomic():
        rejected = Submission.objects.filter(pk=submission.pk).become(
            Status.REJECTED, was=Status.RECEIVED, moved_at=timezone.now(), **_report(error)
        )
        if rejected:
            audit.record(AuditEvent.Action.REJECTED, submission=submission, problems=error.problems.total)
    if rejected:
        # It can never be scored; the report stays. After the row: what is cut off here the sweep removes.
        store.remove(submission.stored_as)
