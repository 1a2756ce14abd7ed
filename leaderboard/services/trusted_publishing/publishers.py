"""Add and remove the trusted publishers of a team."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import ApiToken, AuditEvent, Team, TrustedPublisher, User
from leaderboard.services import audit
from leaderboard.services.accounts import end_token
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.teams.members import is_owner
from leaderboard.services.trusted_publishing.issuers import IssuerKind, known_issuers

_MOST = 20  # publishers of a team
_REPOSITORIES = {
    IssuerKind.GITHUB: re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}", re.ASCII),
    IssuerKind.GITLAB: re.compile(r"[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*){1,20}", re.ASCII),
}
_WORKFLOW = re.compile(r"[\w.-]+(/[\w.-]+)*\.ya?ml", re.ASCII)
_ID = re.compile(r"[0-9A-Za-z-]{1,64}", re.ASCII)
_GITHUB_FOLDER = ".github/workflows/"


@transaction.atomic
def add_publisher(publisher: TrustedPublisher) -> TrustedPublisher:
    """Store a publisher, with its team and who adds it. Raises ValidationError by field, and WrongState."""
    team, by = publisher.team, publisher.added_by
    _require_owner(team, by)
    if problems := dict(_problems_of(publisher)):
        raise ValidationError(problems)
    Team.objects.select_for_update().get(pk=team.pk)
    if team.trusted_publishers.count() >= _MOST:
        raise WrongState(_("The team has %d publishers, the most that it may have.") % _MOST)
    publisher.bound_at = timezone.now() if publisher.repository_id else None
    try:
        with transaction.atomic():
            publisher.save(force_insert=True)
    except IntegrityError as error:
        raise WrongState(_("The team has this publisher already.")) from error
    audit.record(AuditEvent.Action.PUBLISHER_ADDED, actor=by, **_audited(publisher))
    return publisher


@transaction.atomic
def remove_publisher(*, by: User, publisher_id: UUID) -> None:
    """Remove a publisher and revoke the tokens of its jobs, for owners. Raises NotFound, WrongState."""
    rows = TrustedPublisher.objects.select_for_update(of=("self",)).select_related("team")
    publisher = rows.filter(pk=publisher_id, team__memberships__user=by).first()
    if publisher is None:
        raise NotFound(_("Your team has no such publisher; it may already have been removed."))
    _require_owner(publisher.team, by)
    for token in ApiToken.objects.filter(ci_job__publisher=publisher):
        end_token(token, by=by)
    audit.record(AuditEvent.Action.PUBLISHER_REMOVED, actor=by, **_audited(publisher))
    publisher.delete()


def _require_owner(team: Team, user: User) -> None:
    if not is_owner(team, user):
        raise WrongState(_("Only owners of the team may change its publishers."))


def _audited(publisher: TrustedPublisher) -> dict[str, Any]:
    # Without names, which this log would keep when the account is deleted.
    return {
        "team": publisher.team_id,
        "publisher": str(publisher.pk),
        "issuer": publisher.issuer,
        "repository_id": publisher.repository_id,
    }


def _problems_of(publisher: TrustedPublisher) -> Iterator[tuple[str, str]]:
    """Yield each wrong field and what to do; the name of a workflow of GitHub becomes its path."""
    issuer = known_issuers().get(publisher.issuer)
    if issuer is None:
        yield "issuer", _("This issuer is not accepted here. Choose one from the list.")
        return
    is_github = issuer.kind == IssuerKind.GITHUB
    if is_github and "/" not in publisher.workflow:
        publisher.workflow = f"{_GITHUB_FOLDER}{publisher.workflow}"
    if not _REPOSITORIES[issuer.kind].fullmatch(publisher.repository) or len(publisher.repository) > 255:
        yield "repository", _("Give the owner and the name, such as example-lab/my-agent, without https://.")
    is_in_folder = not is_github or publisher.workflow.startswith(_GITHUB_FOLDER)
    if not _WORKFLOW.fullmatch(publisher.workflow) or len(publisher.workflow) > 255 or not is_in_folder:
        yield (
            "workflow",
            _("Give a file that ends with .yml or .yaml (of GitHub, in .github/workflows/), as release.yml."),
        )
    if len(publisher.environment) > 255 or not publisher.environment.isprintable():
        yield "environment", _("Give the name as the CI system shows it, or leave it out.")
    if publisher.repository_id and not _ID.fullmatch(publisher.repository_id):
        yield "repository_id", _("Give the number, or leave it out: the first job sets it.")
