"""Taking up what lies: after a killed worker, a lost message, a provider that was away."""

import logging
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from leaderboard.models import Status, Submission
from leaderboard.services import admission, background, grading, store
from leaderboard.services.background import Task

logger = logging.getLogger(__name__)

_PASSING = (Status.RECEIVED, Status.QUEUED, Status.SCORING)
# Longer than any upload takes from its first byte to its row.
_ORPHANED_AFTER = timedelta(hours=24)


def sweep(*, older_than: timedelta | None = None) -> int:
    """Take up what lies in a passing state for longer than `older_than`, and what waited long enough.

    Returns how many were taken up. Harmless to run at any time, from several places at once.
    """
    now = timezone.now()
    before = now - (settings.STALLED_AFTER if older_than is None else older_than)
    stalled = Submission.objects.filter(status__in=_PASSING, moved_at__lte=before)
    waited = Submission.objects.filter(status=Status.INCOMPLETE, resume_at__lte=now)
    found = [*stalled.order_by("moved_at"), *waited.order_by("resume_at")]
    for submission in found:
        try:
            _take_up(submission)
        except Exception:
            # One that cannot be taken up must not keep the others behind it waiting.
            logger.exception("submission %s could not be taken up again", submission.pk)
    _remove_orphans()
    return len(found)


def _take_up(submission: Submission) -> None:
    if submission.status == Status.INCOMPLETE:
        grading.resume(submission_id=submission.pk)
    elif submission.status != Status.QUEUED and submission.attempts >= settings.SCORING_ATTEMPTS:
        logger.error("submission %s was interrupted %s times", submission.pk, submission.attempts)
        grading.fail(submission.pk, grading.NO_END, was=Status(submission.status), claim=submission.claim)
    elif submission.status == Status.RECEIVED:
        admission.check_again(submission=submission)
    else:
        _queue_again(submission)


def _queue_again(submission: Submission) -> None:
    if submission.status == Status.SCORING:
        # moved_at too: a worker that is slow to say that it lives may have said so since.
        Submission.objects.filter(
            pk=submission.pk, claim=submission.claim, moved_at=submission.moved_at
        ).become(Status.QUEUED, was=Status.SCORING, claim=None, moved_at=timezone.now())
    # Marked as moved, so that a long queue is not sent again at every sweep.
    waiting = Submission.objects.filter(pk=submission.pk, status=Status.QUEUED)
    if waiting.update(moved_at=timezone.now()):
        background.hand_over(Task.GRADE, submission.pk)


def _remove_orphans() -> None:
    """Remove files that no row names: of uploads that were cut off before they were taken in."""
    paths = list(store.older_than(timezone.now() - _ORPHANED_AFTER))
    ids = {store.id_of(path) for path in paths} - {None}
    named = set(
        Submission.objects.filter(stored_as__in=ids).values_list("stored_as", flat=True) if ids else ()
    )
    for path in paths:
        if store.id_of(path) not in named or path.suffix == ".new":
            path.unlink(missing_ok=True)
