"""Cancel a submission before it is scored."""

import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Status, Submission, Team, User
from leaderboard.models.seasons import hold_open
from leaderboard.services import audit
from leaderboard.services.access import lock_submission
from leaderboard.services.errors import WrongState


@transaction.atomic
def cancel(*, submission_id: uuid.UUID, by: User, team: Team | None = None) -> Submission:
    """Cancel a pending submission, or withdraw a sealed one, with all files of its system.

    Cancelling twice is harmless. Raises NotFound, WrongState.
    A worker notices at its next progress report and stops calling the judge. Verdicts until then are
    stored: the same file, sent again, continues from there. It counts against the quota like a scored one,
    or cancelling in time would give unlimited judging.

    team: the team that must own it; None for the organisers, who may cancel any.
    """
    submission = lock_submission(submission_id, team)
    if submission.status == Status.CANCELLED:
        return submission
    is_sealed = submission.status == Status.SEALED
    if is_sealed and (closed := hold_open(submission.board, timezone.now())):
        raise WrongState(closed)
    if not (submission.is_pending or is_sealed):
        raise WrongState(
            _("Only a submission in progress can be cancelled; this one is %(status)s.")
            % {"status": _(submission.status)}
        )
    rows = Submission.objects.filter(pk=submission_id)
    if is_sealed:
        # The system is withdrawn: no other file takes the place of this one, not even one that is checked.
        rows |= Submission.objects.filter(board=submission.board, system=submission.system)
    for was in {submission.status, *((Status.RECEIVED,) if is_sealed else ())}:
        rows.become(
            Status.CANCELLED,
            was=Status(was),
            # A request to publish it ends here; sending it again may repeat the request.
            publish_when_scored=False,
            sent_for_publication=False,
            designated=False,
            designation=None,
        )
    audit.record(AuditEvent.Action.CANCELLED, actor=by, submission=submission, was=submission.status)
    submission.refresh_from_db(fields=["status"])
    return submission
