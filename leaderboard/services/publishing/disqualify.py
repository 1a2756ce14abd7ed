"""Disqualify a result on the organisers' decision, or reinstate it."""

import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, BoardAction, Status, Submission, User
from leaderboard.services import audit
from leaderboard.services.access import lock_submission
from leaderboard.services.errors import ServiceError, WrongState
from leaderboard.services.publishing import standings
from leaderboard.services.text import has_hidden_characters, has_visible_character

MAX_REASON = 300


class ReasonRefused(ServiceError, code="reason-refused"):
    """The reason cannot be published as it is."""


def read_reason(reason: str) -> str:
    """Return `reason` on one line, as the public log shows it. Raises ReasonRefused."""
    reason = " ".join(reason.split())
    if not has_visible_character(reason):
        raise ReasonRefused(_("Give a reason."))
    if len(reason) > MAX_REASON:
        raise ReasonRefused(_("A reason has up to %(most)s characters.") % {"most": MAX_REASON})
    if has_hidden_characters(reason):
        raise ReasonRefused(_("The reason holds control or invisible characters."))
    return reason


@transaction.atomic
def disqualify(*, submission_id: uuid.UUID, by: User, reason: str) -> Submission:
    """Take a scored submission off its leaderboard, and keep its team from publishing it.

    It stays scored, and another result of the system takes its place. The public log mentions it, with
    `reason`, if it was ever published. Disqualifying twice for one reason is harmless. Raises
    ReasonRefused, NotFound, WrongState.
    """
    reason = read_reason(reason)
    submission = lock_submission(submission_id, None)
    if submission.status != Status.SCORED:
        raise WrongState(
            _("Only a scored submission can be disqualified; this one is %(status)s.")
            % {"status": _(submission.status)}
        )
    if submission.disqualification_reason not in ("", reason):
        raise WrongState(_("It is disqualified already, for another reason."))
    if submission.disqualified_at is None:
        submission.disqualified_at, submission.disqualification_reason = timezone.now(), reason
        submission.save(update_fields=["disqualified_at", "disqualification_reason"])
        if submission.published_at is not None:
            standings.refresh_standings([submission], action=BoardAction.DISQUALIFIED, reason=reason)
        audit.record(AuditEvent.Action.DISQUALIFIED, actor=by, submission=submission, reason=reason)
    return submission


@transaction.atomic
def reinstate(*, submission_id: uuid.UUID, by: User) -> None:
    """Lift a disqualification, and restore a published result. Raises NotFound, WrongState."""
    submission = lock_submission(submission_id, None)
    if submission.disqualified_at is None:
        raise WrongState(_("Only a disqualified submission can be reinstated; this one is not."))
    submission.disqualified_at, submission.disqualification_reason = None, ""
    submission.save(update_fields=["disqualified_at", "disqualification_reason"])
    if submission.published_at is not None:
        standings.refresh_standings([submission], action=BoardAction.REINSTATED)
    audit.record(AuditEvent.Action.REINSTATED, actor=by, submission=submission)
