"""Resume unfinished work: after a killed process, or a provider's outage."""

import logging
from contextlib import suppress
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from leaderboard.models import BoardEvent, Status, Submission, Work
from leaderboard.models.record import boards_without_statistics
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.monitoring import ids
from leaderboard.services import accounts, background
from leaderboard.services.drafts import drafts
from leaderboard.services.errors import StorageAway
from leaderboard.services.files import installation, orphans, store
from leaderboard.services.files.installation import OtherInstallation
from leaderboard.services.processes import leases, sweeps
from leaderboard.services.submissions import grade, retry

logger = logging.getLogger(__name__)

_IN_WORK = (Status.RECEIVED, Status.SCORING)
# A row may be from the future, if the clock was set back since.
_CLOCK_TOLERANCE = timedelta(seconds=60)


def sweep() -> int:
    """Resume work that nobody does, and incomplete submissions that are due; return how many.

    These are submissions whose lease has run out, and those that wait, where no worker looks for them.
    Queues the statistics of leaderboards that lack them, removes files that waited too long to be submitted,
    and once an hour looks after files that no row needs, and once a day clears expired sessions and tokens.
    Harmless at any time, and from several processes at once.
    """
    now = timezone.now()
    in_work = Submission.objects.filter(status__in=_IN_WORK, claim__isnull=False)
    given_up = _unlocked(in_work.filter(leases.has_run_out("work__leased_until")).order_by("moved_at"))
    is_due = Q(resume_at__lte=now) | Q(resume_at__isnull=False, moved_at__gt=now + _CLOCK_TOLERANCE)
    due = _unlocked(Submission.objects.filter(is_due, status=Status.INCOMPLETE).order_by("resume_at"))
    lost = [] if settings.WORKERS else _waiting(now)
    for submission in [*given_up, *due, *lost]:
        try:
            with ids.bound(submission_id=submission.pk):
                _take_up(submission)
        except Exception:
            # A submission that cannot be taken up must not hold up the others.
            logger.exception("submission %s could not be taken up again", submission.pk)
    if sweeps.is_thorough():
        for board_id in _due_for_statistics(now):
            background.enqueue_statistics(board_id=board_id)
        _clear_files()
    return len(given_up) + len(due) + len(lost)


def _clear_files() -> None:
    """Remove files that nobody needs, from a storage that belongs to this database."""
    # Where the storage is away, the log has a line, and the next sweep tries again.
    with suppress(StorageAway):
        try:
            installation.renew()
        except OtherInstallation as error:
            logger.error("no file was moved or removed. %s", error.detail)
            return
        drafts.clear_expired()
        store.do_when_due(orphans.LOOK, timedelta(hours=1), orphans.clear)
        store.do_when_due("accounts-cleared", timedelta(days=1), accounts.clear_expired)


def _unlocked(rows: SubmissionQuerySet) -> list[Submission]:
    """Return the rows that nobody has locked: the others hold up no sweep."""
    with transaction.atomic():
        return list(rows.select_related("work").select_for_update(skip_locked=True, of=("self",)))


def _waiting(now: datetime) -> list[Submission]:
    since = now - timedelta(seconds=leases.interval())
    has_waited = Q(moved_at__lte=since) | Q(moved_at__gt=now + _CLOCK_TOLERANCE)
    waiting = Submission.objects.waiting(is_long=False) | Submission.objects.waiting(is_long=True)
    return list(waiting.filter(has_waited).order_by("moved_at"))


def _due_for_statistics(now: datetime) -> list[int]:
    """Return leaderboards without statistics whose rows have not changed for as long as a lease lasts."""
    changed_since = BoardEvent.objects.filter(
        board=OuterRef("board"),
        number=OuterRef("rows_number"),
        at__gt=now - timedelta(seconds=settings.LEASE_SECONDS),
        at__lte=now + _CLOCK_TOLERANCE,
    )
    return list(boards_without_statistics().filter(~Exists(changed_since)).values_list("board", flat=True))


def _take_up(submission: Submission) -> None:
    if submission.status == Status.INCOMPLETE:
        retry.resume(submission_id=submission.pk)
    elif submission.claim is None or _take_from_holder(submission, submission.work):
        background.take_up(submission.pk, is_long=submission.is_long)


def _take_from_holder(submission: Submission, work: Work) -> bool:
    """Free a submission of its holder, or fail it after many attempts; return whether it goes on.

    Only if the lease was not renewed since it was read: its holder may have been slow.
    """
    rows = Submission.objects.filter(pk=submission.pk, claim=submission.claim)
    lease = Work.objects.filter(pk=submission.pk, leased_until=work.leased_until)
    now = timezone.now()
    with transaction.atomic():
        # What a session keeps locked waits for the next sweep, and holds up nobody.
        locked = [each.select_for_update(skip_locked=True) for each in (rows, lease)]
        if not all(each.exists() for each in locked):
            return False
        if work.attempts >= settings.SCORING_ATTEMPTS:
            logger.error("submission %s was interrupted %s times", submission.pk, work.attempts)
            grade.fail(submission.pk, grade.NO_END, was=Status(submission.status), claim=submission.claim)
            return False
        if submission.status == Status.SCORING:
            is_free = rows.become(Status.QUEUED, was=Status.SCORING, moved_at=now)
        else:
            is_free = rows.filter(status=Status.RECEIVED).update(claim=None, moved_at=now)
    if is_free:
        logger.warning(
            "submission %s is taken up again: %s gave no sign of life", submission.pk, work.worked_on_by
        )
    return bool(is_free)
