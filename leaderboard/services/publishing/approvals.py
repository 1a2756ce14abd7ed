"""Requests of teams to submit beyond the limits of new teams, and the organisers' decisions."""

import logging
import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.models import (
    ApprovalStatus,
    AuditEvent,
    Board,
    Status,
    Submission,
    Team,
    TeamApproval,
    User,
)
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.services import audit
from leaderboard.services.access import lock_submission
from leaderboard.services.errors import ServiceError, WrongState
from leaderboard.services.publishing import publish
from leaderboard.services.publishing.disqualify import read_reason
from leaderboard.services.text import remove_hidden_characters

logger = logging.getLogger(__name__)

_MESSAGE_LENGTH = TeamApproval._meta.get_field("message").max_length


@transaction.atomic
def request_approval(*, board: Board, team: Team, by: User, message: str) -> TeamApproval:
    """Ask the organisers of a board to approve a team, or replace the message of an open request.

    message: who the team is and what it evaluates; "" for none, cut to 1,000 characters. Raises WrongState,
    also where the board asks for no approval.
    """
    if not board.needs_approval:
        raise WrongState(gettext("This leaderboard does not ask for approval."))
    approval, is_new = TeamApproval.objects.select_for_update().get_or_create(
        board=board, team=team, defaults={"requested_by": by}
    )
    if approval.status != ApprovalStatus.REQUESTED:
        raise WrongState(
            gettext("Your team is already approved.")
            if approval.status == ApprovalStatus.APPROVED
            else gettext(
                "The organisers did not approve your team. Contact them if you think that this is a mistake."
            )
        )
    approval.message = remove_hidden_characters(message)[:_MESSAGE_LENGTH]
    approval.save(update_fields=["message"])
    if is_new:
        audit.record(AuditEvent.Action.APPROVAL_REQUESTED, actor=by, board=board, team=team.pk)
    return approval


@transaction.atomic
def publish_once_approved(*, submission_id: uuid.UUID, team: Team, by: User) -> Submission:
    """Ask the organisers to approve a team, and publish a result of it as soon as they do.

    Raises NotFound, and WrongState where the organisers have decided already.
    """
    submission = lock_submission(submission_id, team)
    if submission.board.is_unranked:
        raise WrongState(gettext("A result on an unranked lane is never published."))
    approval = TeamApproval.objects.filter(board=submission.board, team=team).first()
    request_approval(board=submission.board, team=team, by=by, message=approval.message if approval else "")
    Submission.objects.filter(pk=submission.pk).update(publish_when_scored=True)
    return submission


def waits_for_approval(submission: Submission) -> bool:
    """Return whether the approval that a team requested will publish a result of it."""
    if not submission.board.needs_approval:
        return False
    requests = TeamApproval.objects.filter(board=submission.board_id, team=submission.team_id)
    approval = requests.filter(status=ApprovalStatus.REQUESTED).first()
    return approval is not None and waiting_for(approval).filter(pk=submission.pk).exists()


def waiting_for(approval: TeamApproval) -> SubmissionQuerySet:
    """Select the results that the approval of a team would publish, in the order in which they came."""
    unpublished = Submission.objects.filter(
        status=Status.SCORED, publish_when_scored=True, published_at=None, disqualified_at=None
    )
    return unpublished.filter(board=approval.board_id, team=approval.team_id).order_by("received_at")


def approve(*, approval: TeamApproval, by: User, seen: str = "") -> tuple[int, list[str]]:
    """Approve a team, and publish its results that wait for this.

    Return how many were published, and why each of the others was not: they stay as they are.

    seen: the status that the organiser saw; "" for any. Raises WrongState where another organiser has
        decided since.
    """
    _decide(approval, ApprovalStatus.APPROVED, by, answer="", seen=seen)
    published, refusals = 0, list[str]()
    for submission in waiting_for(approval).select_related("submitted_by", "team"):
        try:
            publish.publish(submission_id=submission.pk, team=submission.team, by=submission.submitted_by)
            published += 1
        except ServiceError as error:
            logger.info("submission %s was not published on approval: %s", submission.pk, error.code)
            refusals.append(error.detail)
    return published, refusals


def refuse(*, approval: TeamApproval, by: User, answer: str, seen: str = "") -> None:
    """Refuse a team, or revoke its approval. Its published results stay.

    answer: why, for the team. seen: as for `approve`. Raises ReasonRefused, and WrongState likewise.
    """
    _decide(approval, ApprovalStatus.REFUSED, by, answer=read_reason(answer), seen=seen)


@transaction.atomic
def _decide(approval: TeamApproval, status: ApprovalStatus, by: User, *, answer: str, seen: str) -> None:
    present = TeamApproval.objects.select_for_update().get(pk=approval.pk).status
    if seen and present == status:
        return  # this is a second press, or another organiser decided the same
    if seen not in ("", present):
        raise WrongState(
            gettext("Someone has decided on this team meanwhile: look at the decision, and decide again.")
        )
    TeamApproval.objects.filter(pk=approval.pk).update(
        status=status,
        answer=answer,
        decided_by=by,
        decided_at=timezone.now(),
    )
    is_approved = status == ApprovalStatus.APPROVED
    action = AuditEvent.Action.TEAM_APPROVED if is_approved else AuditEvent.Action.TEAM_REFUSED
    audit.record(action, actor=by, board=approval.board, team=approval.team_id)
