"""Delete an account: what was published stays, without the person; everything else goes.

The row of the user stays, without a name, an address or a way to sign in, because the audit log and published
results point at it, and neither can be changed.
"""

from functools import partial
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from leaderboard.models import (
    AnswerDigests,
    ApprovalStatus,
    AuditEvent,
    Doubt,
    DoubtState,
    Draft,
    Evaluation,
    IdempotencyKey,
    Membership,
    Notification,
    ProvenanceLevel,
    ReviewLink,
    Role,
    SealedFile,
    SignInAddress,
    Status,
    Submission,
    System,
    Team,
    TeamApproval,
    TeamInvitation,
    TrustedPublisher,
    UsedVerdicts,
    User,
    Watch,
    Work,
)
from leaderboard.models.submissions import NEXT, PENDING
from leaderboard.models.systems import RELEASE
from leaderboard.services import audit
from leaderboard.services.access import has_rights_over_others
from leaderboard.services.accounts import revoke_all_tokens
from leaderboard.services.errors import WrongState
from leaderboard.services.files import store
from leaderboard.services.publishing.standings import lock_systems, update_standings
from leaderboard.services.record.past import is_public
from leaderboard.services.teams.members import end_known_links, end_team
from leaderboard.services.text import join_names
from wardboard.scoring.facts import OF_SYSTEM

_NAMELESS = "Deleted system"
# Rows of these go with the person.
_OF_PERSONS: tuple[type[Model], ...] = (
    *(Authenticator, EmailAddress, IdempotencyKey, Membership, Notification, SignInAddress, SocialAccount),
    Watch,
)


def consequences_for(user: User) -> dict[str, Any]:
    """Count what deleting the account would keep and delete, and name the teams that go on without it."""
    rows = Submission.objects.filter(team__in=_teams_of_nobody_else(user))
    return {
        "kept": rows.filter(published_at__isnull=False).count(),
        "deleted": rows.filter(published_at__isnull=True).count(),
        "in_progress": rows.filter(status__in=PENDING).count(),
        "teams": [team.name for team in _teams_of_others_too(user)],
    }


def _teams_of_nobody_else(user: User) -> QuerySet[Team]:
    return Team.objects.of_member(user).exclude(pk__in=Membership.objects.exclude(user=user).values("team"))


def _teams_of_others_too(user: User) -> QuerySet[Team]:
    others = Membership.objects.exclude(user=user).values("team")
    return Team.objects.of_member(user).filter(pk__in=others, owner_alone=None)


def refuse_organisers(user: User) -> None:
    """Raise WrongState for a user with rights over others: the audit log must say who used them."""
    if has_rights_over_others(user):
        raise WrongState(
            _("You organise leaderboards. First ask another administrator to remove your rights.")
        )


@transaction.atomic
def delete_account(user: User) -> None:
    """Delete an account for good. Raises WrongState for organisers."""
    # Without locking the key, to which rows of the audit log refer: a request that writes one may have
    # locked the teams that follow here.
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    refuse_organisers(user)
    # Lock the team first, so that nobody joins or leaves while the members are counted.
    own = Q(owner_alone=user) | Q(pk__in=Membership.objects.filter(user=user).values("team"))
    list(Team.objects.select_for_update().filter(own).order_by("pk"))
    owners = Membership.objects.filter(role=Role.OWNER, user__is_active=True).exclude(user=user)
    left = _teams_of_others_too(user).exclude(pk__in=owners.values("team"))
    if left:
        raise WrongState(
            _("You are the only owner of %(teams)s. First make someone else an owner.")
            % {"teams": join_names([f"“{team.name}”" for team in left])}
        )
    counts = consequences_for(user)
    teams = list(_teams_of_nobody_else(user).order_by("pk"))
    for team in teams:
        _name_nobody(LogEntry.objects.filter(object_repr=team.name))
        _empty_submissions(team, by=user)
        _leave_systems(team)
        if team.is_shared:
            end_team(team, by=user)
    for team in Team.objects.filter(memberships__user=user, memberships__role=Role.OWNER, owner_alone=None):
        end_known_links(team)
    _drop_drafts(user)
    revoke_all_tokens(user=user)
    # Django keeps the user of a session inside of it alone. An account is deleted seldom enough to read all.
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()
    _forget_person(user)
    audit.record(
        AuditEvent.Action.ACCOUNT_DELETED,
        actor=user,
        team=teams[0].pk if teams else None,
        results_kept=counts["kept"],
        submissions_deleted=counts["deleted"],
    )


def _empty_submissions(team: Team, *, by: User) -> None:
    """Cancel what was never published and remove its files; take the names of files from the rest."""
    rows = Submission.objects.of_team(team)
    # Lock teams in the order of keys, before systems, as everywhere.
    locked = list(rows.select_for_update(of=("self",)).order_by("pk").defer("problems", "warnings"))
    unpublished = [submission for submission in locked if submission.published_at is None]
    keys = [submission.pk for submission in unpublished]
    for submission in unpublished:
        if submission.is_pending:
            audit.record(AuditEvent.Action.CANCELLED, actor=by, submission=submission, was=submission.status)
    for status, following in NEXT.items():
        if Status.CANCELLED in following:
            # A worker that scores one finds its claim gone, and stores nothing.
            rows.filter(pk__in=keys).become(
                Status.CANCELLED,
                was=status,
                failure="",
                evaluation=None,
                scored_at=None,
                disqualified_at=None,
                disqualification_reason="",
                publish_when_scored=False,
                sent_for_publication=False,
                designated=False,
                designation=None,
            )
    Evaluation.objects.filter(submission__in=keys).forget_unpublished()
    ReviewLink.objects.filter(submission__team=team).delete()
    AnswerDigests.objects.filter(submission__in=keys).delete()
    SealedFile.objects.filter(submission__in=keys).delete()
    # Who has left is named no more.
    SealedFile.objects.filter(submission__team=team).update(identity=None, embargo_until=None)
    UsedVerdicts.objects.filter(submission__in=keys).delete()
    rows.filter(pk__in=keys).update(
        run_files=None,
        retries="",
        deterministic=None,
        **dict.fromkeys(RELEASE, ""),
        provenance=ProvenanceLevel.ACCOUNT,
        ci_job=None,
        problems=[],
        warnings=[],
        stated_facts=None,
        log_facts={},
        kept_bytes=0,
    )
    Work.objects.filter(submission__in=keys).update(progress=None)
    rows.update(filename="", left_out=[])
    for submission in rows.filter(run_files__isnull=False).only("run_files"):
        files = enumerate(submission.run_files or (), start=1)
        submission.run_files = [{**file, "name": f"run {number}"} for number, file in files]
        submission.save(update_fields=["run_files"])
    # After the commit: if this is cut off, the sweep removes them as those of any cancelled submission.
    for submission in unpublished:
        transaction.on_commit(partial(store.remove, submission.stored_as))


def _leave_systems(team: Team) -> None:
    """Remove the team's name from public systems; delete the private ones."""
    team.name = ""
    team.save(update_fields=["name"])
    TrustedPublisher.objects.filter(team=team).delete()
    TeamApproval.objects.filter(team=team, status=ApprovalStatus.REQUESTED).delete()
    TeamApproval.objects.filter(team=team).update(message="", answer="", requested_by=None)
    Doubt.objects.filter(team=team, state=DoubtState.OPEN).delete()
    Doubt.objects.filter(team=team).update(text="", reported_by=None)
    for system in lock_systems(team=team):
        if not is_public(system.pk):
            unstated = System()
            for fact in OF_SYSTEM:
                setattr(system, fact.field, getattr(unstated, fact.field))
            system.name = f"{_NAMELESS} {system.pk}"
            system.save()
    update_standings(team=team)


def _drop_drafts(user: User) -> None:
    drafts = Draft.objects.filter(owner=user)
    # Once a draft is submitted, its file belongs to the submission.
    for file_id in drafts.filter(submission=None).values_list("stored_as", flat=True):
        transaction.on_commit(partial(store.remove, file_id))
    drafts.delete()


def _forget_person(user: User) -> None:
    for email in {user.email, *EmailAddress.objects.filter(user=user).values_list("email", flat=True)}:
        _name_nobody(
            LogEntry.objects.filter(Q(object_repr__contains=email) | Q(change_message__contains=email))
        )
    for model in _OF_PERSONS:
        model._default_manager.filter(user=user).delete()
    TeamInvitation.objects.filter(Q(invited_by=user) | Q(email=user.email)).delete()
    user.email = f"deleted-{user.pk}@deleted.invalid"
    user.first_name = user.last_name = ""
    user.is_active = False
    user.last_login = None
    user.language, user.email_choices = "", None
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()


def _name_nobody(entries: QuerySet[LogEntry]) -> None:
    """Take names from entries of the admin's own log."""
    entries.update(object_repr="deleted account", change_message="")
