"""Links by which reviewers see a result without names, before and after it is published.

A team makes them for a paper under double-blind review. The token in the address is the only key to the page,
and is not stored. What a link shows never depends on whether the result has been published since: a change
would reveal to its reader which row of the leaderboard it is.
"""

import base64
import copy
import hashlib
import secrets
import uuid
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, ReviewLink, Status, Submission, Team, User
from leaderboard.services import audit, visibility
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.visibility import VisibleResult

MOST_LINKS = 10
_TOKEN_BYTES = 32


def can_have_link(submission: Submission) -> bool:
    """Return whether a link may be made: for a scored result that was never published."""
    return submission.published_at is None and _is_shown(submission)


def live_links(submission: Submission) -> list[ReviewLink]:
    """Return the links of a submission that have not expired, the oldest first."""
    # Other submissions have no links, and their pages need no query.
    return list(_links_in_force().filter(submission=submission)) if submission.status == Status.SCORED else []


@transaction.atomic
def create_link(
    *, submission_id: uuid.UUID, team: Team, by: User, name: str, days: int | None, form_id: str = ""
) -> tuple[ReviewLink, str]:
    """Create a link; return it with the token of its address, which is not stored.

    days: until it expires; None for a link that works until it is revoked.
    form_id: a random name of the form that was sent; a form that is sent twice makes one link, whose address
        is returned again. "" for a link of its own.
    Raises NotFound, WrongState.
    """
    submission = _lock(submission_id, team)
    token = _token_of_form(form_id, submission, by) if form_id else secrets.token_urlsafe(_TOKEN_BYTES)
    if (
        existing := _links_in_force().filter(submission=submission, digest=_digest(token)).first()
    ) is not None:
        return existing, token
    if not can_have_link(submission):
        raise WrongState(_("Only a scored result that was never published can have a link for reviewers."))
    if _links_in_force().filter(submission=submission).count() >= MOST_LINKS:
        raise WrongState(
            _("This submission has %(count)s links, the most that it may have: revoke one first.")
            % {"count": MOST_LINKS}
        )
    link = ReviewLink.objects.create(
        submission=submission,
        name=name,
        digest=_digest(token),
        expires_at=timezone.now() + timedelta(days=days) if days is not None else None,
    )
    # Leave out the name, which may name a venue: this log outlives the account.
    audit.record(
        AuditEvent.Action.REVIEW_LINK_CREATED, actor=by, submission=submission, link=link.pk, days=days
    )
    return link, token


@transaction.atomic
def revoke_link(*, submission_id: uuid.UUID, link_id: int, team: Team, by: User) -> None:
    """Delete a link of the team. Raises NotFound."""
    submission = _lock(submission_id, team)
    link = ReviewLink.objects.filter(pk=link_id, submission=submission).first()
    if link is None:
        raise NotFound(_("There is no such link; it may already have been revoked."))
    audit.record(AuditEvent.Action.REVIEW_LINK_REVOKED, actor=by, submission=submission, link=link.pk)
    link.delete()


def find_linked(token: str) -> tuple[ReviewLink, Submission]:
    """Return the link with this token, and its submission.

    Raises NotFound for a token that is unknown, revoked or expired, and while the result is withdrawn or
    disqualified.
    """
    # The database compares digests, so the time that a comparison takes reveals nothing about a token.
    link = _links_in_force().filter(digest=_digest(token)).first()
    if link is not None:
        submission = Submission.objects.with_result().get(pk=link.submission_id)
        if _is_shown(submission):
            return link, submission
    raise NotFound("no such link for reviewers")


def result_for_reviewers(submission: Submission) -> VisibleResult | None:
    """Return what its team could see of a result before it was published, also afterwards."""
    before = copy.copy(submission)
    before.published_at = None
    return visibility.visible_result(before)


def _is_shown(submission: Submission) -> bool:
    return (
        submission.status == Status.SCORED
        and submission.withdrawn_at is None
        and submission.disqualified_at is None
    )


def _links_in_force() -> QuerySet[ReviewLink]:
    return ReviewLink.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()))


def _lock(submission_id: uuid.UUID, team: Team) -> Submission:
    # Lock the submission, so that links made at the same moment are counted one after the other.
    rows = Submission.objects.select_for_update(of=("self",)).select_related("board")
    submission = rows.defer("problems", "warnings").filter(pk=submission_id, team=team).first()
    if submission is None:
        raise NotFound(_("You have no such submission."))
    return submission


def _token_of_form(form_id: str, submission: Submission, by: User) -> str:
    """Return the token of the link that a form makes: always the same, and known to nobody beforehand."""
    # A form that is sent again after a link was revoked must not bring its address back.
    revoked = AuditEvent.objects.filter(
        action=AuditEvent.Action.REVIEW_LINK_REVOKED, submission=submission
    ).count()
    name = f"{form_id}:{submission.pk}:{by.pk}:{revoked}"
    digest = salted_hmac("leaderboard.review-link", name, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
