"""Stopping what has not come to its end."""

import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Status, Submission, Team, User
from leaderboard.services import audit
from leaderboard.services.errors import NotFound, WrongState


@transaction.atomic
def cancel(*, submission_id: uuid.UUID, by: User, team: Team | None = None) -> Submission:
    """Stop a submission that is on its way; twice is the same as once. Raises NotFound, WrongState.

    team: whose it must be; None: anybody's, for the organiser. A worker that has it learns at its next
    look, and calls no judge from then on. What was judged until then is kept, so that the same file, sent
    again, goes on from there. It counts against the quota like one that was scored, or cancelling in time
    would buy as much judging as one likes.
    """
    rows = Submission.objects.select_for_update(of=("self",)).select_related("benchmark")
    if team is not None:
        rows = rows.filter(team=team)
    submission = rows.filter(pk=submission_id).first()
    if submission is None:
        raise NotFound(_("You have no such submission."))
    if submission.status == Status.CANCELLED:
        return submission
    if not submission.is_pending:
        raise WrongState(
            _("Only a submission that is on its way can be cancelled; this one is %(status)s.")
            % {"status": _(submission.status)}
        )
    Submission.objects.filter(pk=submission_id).become(
        Status.CANCELLED,
        was=Status(submission.status),
        claim=None,
        waits_for="",
        resume_at=None,
        # Who sends it again says again whether it is to be published.
        publish_when_scored=False,
        moved_at=timezone.now(),
    )
    audit.record(AuditEvent.Action.CANCELLED, actor=by, submission=submission, was=submission.status)
    submission.refresh_from_db(fields=["status"])
    return submission
