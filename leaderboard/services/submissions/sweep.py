"""Taking up what lies: after a killed worker, a lost message, a provider that was away."""

import logging
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from leaderboard.models import BoardEvent, BoardState, BoardStatistics, Standing, Status, Submission
from leaderboard.services import background
from leaderboard.services.background import Task
from leaderboard.services.files import store
from leaderboard.services.submissions import admit, grade

logger = logging.getLogger(__name__)

_PASSING = (Status.RECEIVED, Status.QUEUED, Status.SCORING)
# Longer than any upload takes from its first byte to its row.
_ORPHANED_AFTER = timedelta(hours=24)
_GIVEN_UP_AFTER = timedelta(days=14)
_AT_ONCE = 500  # files asked for in one query


def sweep(*, older_than: timedelta | None = None) -> int:
    """Take up what lies in a passing state for longer than `older_than`, and what waited long enough.

    Returns how many submissions were taken up. Boards whose statistics were never worked out are handed
    over again too. Harmless to run at any time, from
    several places at once.
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
    for benchmark_id in _without_statistics(before):
        background.enqueue_statistics(benchmark_id=benchmark_id)
    _remove_orphans()
    return len(found)


def _without_statistics(before: datetime) -> list[int]:
    """Return the boards whose rows have been as they are since `before`, and of which nothing is worked out
    though some can take part."""
    of_board = {"benchmark": OuterRef("benchmark")}
    entrants = Standing.objects.filter(
        **of_board, evaluation__revision=OuterRef("benchmark__active_revision")
    )
    changed_since = BoardEvent.objects.filter(**of_board, number=OuterRef("rows_number"), at__gt=before)
    known = BoardStatistics.objects.filter(**of_board, number=OuterRef("rows_number"))
    # Who is on it is asked last: that takes longest, and mostly all is known.
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
        # moved_at too: a worker that is slow to say that it lives may have said so since.
        Submission.objects.filter(
            pk=submission.pk, claim=submission.claim, moved_at=submission.moved_at
        ).become(Status.QUEUED, was=Status.SCORING, claim=None, moved_at=timezone.now())
    # Marked as moved, so that a long queue is not sent again at every sweep.
    waiting = Submission.objects.filter(pk=submission.pk, status=Status.QUEUED)
    if waiting.update(moved_at=timezone.now()):
        background.enqueue(Task.GRADE, submission.pk)


def _remove_orphans() -> None:
    """Remove files that no row needs: of uploads that were cut off, of what was given up long ago, and
    originals that the board does not keep."""
    now = timezone.now()
    paths = list(store.paths_older_than(now - _ORPHANED_AFTER))
    for start in range(0, len(paths), _AT_ONCE):
        batch = paths[start : start + _AT_ONCE]
        rows = Submission.objects.filter(stored_as__in={store.file_id_of(path) for path in batch} - {None})
        named = {
            row[0]: row[1:]
            for row in rows.values_list("stored_as", "status", "moved_at", "benchmark__keep_originals")
        }
        for path in batch:
            if path.suffix == ".new" or _is_needless(path, named.get(store.file_id_of(path)), now):
                path.unlink(missing_ok=True)


def _is_needless(path: Path, named: tuple[str, datetime, bool] | None, now: datetime) -> bool:
    if named is None:
        return True
    status, moved_at, keeps_originals = named
    if status in (Status.FAILED, Status.CANCELLED):
        # The same bytes may come again and go on; after that long they are sent whole.
        return moved_at < now - _GIVEN_UP_AFTER
    return status == Status.REJECTED or (
        status == Status.SCORED and not keeps_originals and store.is_original(path)
    )
