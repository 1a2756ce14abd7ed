"""Accept an uploaded file, in stages from value to value that end in one decision.

state     what the request says                            -> Statement
read      the file, at once or later; it is kept           -> FileCheck
decide    under the locks: new, or sent before; the quota  -> Decision, stored
go on     check, grade, retry or publish                   -> Submission
"""

import logging
from dataclasses import replace

from leaderboard.models import Status, Submission
from leaderboard.monitoring import metrics
from leaderboard.services import background, outages
from leaderboard.services.errors import NoRoom, ServiceError, StorageAway, WrongState
from leaderboard.services.files import store
from leaderboard.services.publishing.publish import publish
from leaderboard.services.submissions import admit, grade, retry
from leaderboard.services.submissions.decide import Decision, NextStep, decide
from leaderboard.services.submissions.request import SubmissionRequest, state

logger = logging.getLogger(__name__)


def submit(request: SubmissionRequest) -> Decision:
    """Accept a file as a team's submission, and score it or queue it for scoring.

    A file of several runs is one submission of a declared number of runs; missing runs count as wrong.
    The same bytes from the same team for the same leaderboard, of several files in any order, give the same
    submission, and the decision says what of the request it does not follow; one that failed through a fault
    of ours, or was cancelled, is tried again. An invalid file becomes a rejected submission with a report
    (`submission.problems`) and without its bytes. A large file is checked in the background.
    The stored file belongs to the service from here on, whatever happens.

    Raises SubmissionInvalid for warnings that a strict request does not take, BoardClosed, KeyReused,
    EmailUnverified, ApprovalNeeded, QuotaSpent, StorageSpent, StorageAway,
    NoRoom, and RequestInvalid for invalid facts (with the problems of the file beside them).
    """
    try:
        statement = state(request)
        decision = decide(statement, admit.read(statement))
        submission = _go_on(request, decision)
    except Exception as error:
        # The store counts those for which it has no room.
        if isinstance(error, ServiceError) and not isinstance(error, NoRoom):
            metrics.REFUSED.labels(error.code).inc()
        # A row may name the file already, and where the connection broke nobody knows: then the sweep removes
        # the file, if no row names it; likewise where the storage is away.
        if outages.may_have_committed(error) or isinstance(error, StorageAway):
            raise
        if not Submission.objects.filter(stored_as=request.file.id).exists():
            store.remove(request.file.id)
        raise
    else:
        # A rejected file can never be scored. If this is cut off, the sweep removes it.
        if submission.stored_as != request.file.id or submission.status == Status.REJECTED:
            store.remove(request.file.id)
        return replace(decision, submission=submission)
    finally:
        store.release(request.file.id)


def _go_on(request: SubmissionRequest, decision: Decision) -> Submission:
    """Take the next step of a stored decision; return the submission as it is then."""
    submission = decision.submission
    try:
        match decision.next_step:
            case NextStep.QUEUE:
                background.enqueue(submission.pk, is_long=submission.is_long)
            case NextStep.SCORE if submission.claim:
                with background.working_for_request():
                    grade.score_claimed(submission_id=submission.pk, claim=submission.claim)
            case NextStep.RETRY:
                retry.retry(submission_id=submission.pk, by=request.user)
            case NextStep.PUBLISH:
                publish(submission_id=submission.pk, by=request.user)
    except WrongState as error:
        # Another request was faster, or a result with the same records was disqualified.
        logger.info("submission %s stays as it is: %s", submission.pk, error)
    return Submission.objects.with_result().get(pk=submission.pk)
