"""Links by which reviewers see a result without names, before and after it is published.

A team makes them for a paper under double-blind review. The token in the address is the signed key of the
link's row: nobody makes one without SECRET_KEY, and without the row it opens nothing. What a link shows never
depends on whether the result has been published since: a change would reveal to its reader which row of the
leaderboard it is.
"""

import uuid
from datetime import timedelta

from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, ReviewLink, Status, Submission, Team, User
from leaderboard.services import audit
from leaderboard.services.access import lock_submission
from leaderboard.services.errors import NotFound, WrongState

MOST_LINKS = 10
_signer = Signer(salt="wardboard.review-link", sep=".")


def can_have_link(submission: Submission) -> bool:
    """Return whether a link may be made: for a scored or a sealed result that was never published."""
    return submission.published_at is None and (submission.status == Status.SEALED or _is_shown(submission))


def live_links(submission: Submission) -> list[ReviewLink]:
    """Return the links of a submission that have not expired, the oldest first."""
    # Other submissions have no links, and their pages need no query.
    if submission.status not in (Status.SCORED, Status.SEALED):
        return []
    return list(_links_in_force().filter(submission=submission))


@transaction.atomic
def create_link(
    *, submission_id: uuid.UUID, team: Team, by: User, name: str, days: int | None
) -> tuple[ReviewLink, str]:
    """Create a link; return it with the token of its address. Raises NotFound, WrongState."""
    submission = lock_submission(submission_id, team)
    links = _links_in_force().filter(submission=submission)
    if not can_have_link(submission):
        raise WrongState(_("Only a scored result that was never published can have a link for reviewers."))
    if links.count() >= MOST_LINKS:
        raise WrongState(
            _("This submission has %(count)s links, the most that it may have: revoke one first.")
            % {"count": MOST_LINKS}
        )
    link = ReviewLink.objects.create(
        submission=submission,
        name=name,
        expires_at=timezone.now() + timedelta(days=days) if days is not None else None,
    )
    # Leave out the name, which may name a venue: this log outlives the account.
    audit.record(
        AuditEvent.Action.REVIEW_LINK_CREATED, actor=by, submission=submission, link=str(link.pk), days=days
    )
    return link, token_of(link)


def token_of(link: ReviewLink) -> str:
    """Return the token of a link's address."""
    return _signer.sign(link.pk.hex)


@transaction.atomic
def revoke_link(*, submission_id: uuid.UUID, link_id: uuid.UUID, team: Team, by: User) -> None:
    """Delete a link of the team. Raises NotFound."""
    submission = lock_submission(submission_id, team)
    link = ReviewLink.objects.filter(pk=link_id, submission=submission).first()
    if link is None:
        raise NotFound(_("There is no such link; it may already have been revoked."))
    audit.record(AuditEvent.Action.REVIEW_LINK_REVOKED, actor=by, submission=submission, link=str(link.pk))
    link.delete()


def find_linked(token: str) -> tuple[ReviewLink, Submission]:
    """Return the link with this token, and its submission as before its publication, to be read alone.

    Raises NotFound for a token that is unknown, revoked or expired, and while the result is withdrawn or
    disqualified; WrongState while it is sealed.
    """
    try:
        link = _links_in_force().filter(pk=uuid.UUID(_signer.unsign(token))).first()
    except (BadSignature, ValueError):
        link = None
    if link is not None:
        submission = Submission.objects.with_result().get(pk=link.submission_id)
        if _is_shown(submission):
            submission.published_at = None
            return link, submission
        if submission.status == Status.SEALED:
            raise WrongState("the result is sealed")
    raise NotFound("no such link for reviewers")


def _is_shown(submission: Submission) -> bool:
    return (
        submission.status == Status.SCORED
        and submission.withdrawn_at is None
        and submission.disqualified_at is None
    )


def _links_in_force() -> QuerySet[ReviewLink]:
    return ReviewLink.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()))
