"""Resume unfinished work: after a killed worker, a lost message, or a provider's outage."""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from leaderboard.models import BoardEvent, BoardState, BoardStatistics, Standing, Status, Submission
from leaderboard.services import accounts, background
from leaderboard.services.background import Task
from leaderboard.services.files import orphans
from leaderboard.services.submissions import admit, grade

logger = logging.getLogger(__name__)

_UNFINISHED = (Status.RECEIVED, Status.QUEUED, Status.SCORING)


def sweep(*, older_than: timedelta | None = None) -> int:
    """Resume stalled submissions, and incomplete ones that are due; return how many.

    Queues the statistics of leaderboards that lack them, and once an hour looks after files that no row
    needs, and once a day clears expired sessions and tokens. Harmless at any time, and from several
    processes at once.

    older_than: how long a submission must not have moved; settings.STALLED_AFTER unless given.
    """
    now = timezone.now()
    before = now - (settings.STALLED_AFTER if older_than is None else older_than)
    stalled = Submission.objects.filter(status__in=_UNFINISHED, moved_at__lte=before)
    due = Submission.objects.filter(status=Status.INCOMPLETE, resume_at__lte=now)
    submissions = [*stalled.order_by("moved_at"), *due.order_by("resume_at")]
    for submission in submissions:
        try:
            _take_up(submission)
        except Exception:
            # One that cannot be taken up must not hold up the others.
            logger.exception("submission %s could not be taken up again", submission.pk)
    for benchmark_id in _without_statistics(before):
        background.enqueue_statistics(benchmark_id=benchmark_id)
    orphans.clear_when_due()
    accounts.clear_expired_when_due()
    return len(submissions)


def _without_statistics(before: datetime) -> list[int]:
    """Return leaderboards without statistics whose rows have not changed since `before`."""
    on_board = {"benchmark": OuterRef("benchmark")}
    entrants = Standing.objects.filter(
        **on_board, evaluation__revision=OuterRef("benchmark__active_revision")
    )
    changed_since = BoardEvent.objects.filter(**on_board, number=OuterRef("rows_number"), at__gt=before)
    known = BoardStatistics.objects.filter(**on_board, number=OuterRef("rows_number"))
    # Entrants last: that query is the slowest, and the others nearly always decide.
    boards = BoardState.objects.filter(~Exists(known), ~Exists(changed_since), Exists(entrants))
    return list(boards.values_list("benchmark", flat=True))


def _take_up(submission: Submission) -> None:
    if submission.status == Status.INCOMPLETE:
        grade.resume(submission_id=submission.pk)
    elif submission.status != Status.QUEUED and submission.attempts >= settings.SCORING_ATTEMPTS:
        logger.error("submission %s was interrupted %s times", submission.pk, submission.attempts)
        grade.fail(
            submission.pk,
            grade.NO_END,
            was=Status(submission.status),
            claim=submission.claim,
            seen=submission.moved_at,
        )
    elif submission.status == Status.RECEIVED:
        admit.retry_check(submission=submission)
    else:
        _queue_again(submission)


def _queue_again(submission: Submission) -> None:
    if submission.status == Status.SCORING:
        # Only if `moved_at` is the same: a slow worker may have reported since.
        Submission.objects.filter(
            pk=submission.pk, claim=submission.claim, moved_at=submission.moved_at
        ).become(Status.QUEUED, was=Status.SCORING, claim=None, moved_at=timezone.now())
    # Marked as moved, so that a long queue is not sent again at every sweep.
    waiting = Submission.objects.filter(pk=submission.pk, status=Status.QUEUED)
    if waiting.update(moved_at=timezone.now()):
        background.enqueue(Task.GRADE, submission.pk, is_long=submission.is_long)
