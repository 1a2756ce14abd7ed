"""Manage teams and tokens, and clear what has expired."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import (
    OF_SENDERS,
    ApiToken,
    AuditEvent,
    Board,
    CiJob,
    DeviceCode,
    LimitEntry,
    Membership,
    ReviewLink,
    Role,
    Scope,
    SignInAddress,
    Submission,
    Team,
    TeamInvitation,
    User,
)
from leaderboard.monitoring.withheld import describe
from leaderboard.services import audit
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.text import has_visible_character, remove_hidden_characters

logger = logging.getLogger(__name__)

_NAMELESS = "Unnamed team"


def find_team(user: User) -> Team | None:
    """Return the user's personal team; None for a user who has not submitted anything yet."""
    return Team.objects.filter(owner_alone=user).first()


def new_team(user: User) -> Team:
    """Return the user's personal team, unsaved, under a name that can be shown to others."""
    name = remove_hidden_characters(user.get_full_name() or user.email.partition("@")[0])[:120].rstrip()
    return Team(owner_alone=user, name=name if has_visible_character(name) else _NAMELESS)


def personal_team(user: User) -> Team:
    """Return the personal team, created where there is none. Read paths use `find_team`."""
    team = find_team(user)
    if team is None:
        with transaction.atomic():
            # get_or_create: of two simultaneous requests, the constraint decides which one creates it.
            team, is_new = Team.objects.get_or_create(
                owner_alone=user, defaults={"name": new_team(user).name}
            )
            if is_new:
                Membership.objects.create(team=team, user=user, role=Role.OWNER)
    return team


@transaction.atomic
def create_token(
    *,
    user: User,
    name: str,
    days: int | None,
    scopes: Sequence[Scope] = OF_SENDERS,
    board: Board | None = None,
    team: Team | None = None,
) -> tuple[ApiToken, str]:
    """Create a token of a user, or of a team that the user owns; return it with its text."""
    # Lock the row, so that simultaneous requests are counted one after the other.
    if team is None:
        User.objects.select_for_update().get(pk=user.pk)
    else:
        Team.objects.select_for_update().get(pk=team.pk)
    refuse_more_tokens(user, team)
    token, text = ApiToken.objects.create(
        user=user,
        team=team,
        expiry=timedelta(days=days) if days is not None else None,
        name=name,
        scopes=[scope.value for scope in scopes],
        board=board,
    )
    audit.record(
        AuditEvent.Action.TOKEN_CREATED, actor=user, name=name, key=token.token_key, scopes=token.scopes
    )
    return token, text


def tokens_of(user: User, team: Team | None = None) -> QuerySet[ApiToken]:
    """Select the tokens of a team, without those of CI jobs; without a team, the user's own."""
    rows: QuerySet[ApiToken] = ApiToken.objects.filter(team=team, ci_job=None)
    return rows if team else rows.filter(user=user)


def refuse_more_tokens(user: User, team: Team | None = None) -> None:
    """Raise WrongState where a team, or without one a person, has as many tokens as there may be."""
    live = tokens_of(user, team).exclude(expiry__lt=timezone.now()).count()
    if settings.TOKENS_PER_ACCOUNT and live >= settings.TOKENS_PER_ACCOUNT:
        raise WrongState(_("There are %d tokens, the most that there may be: revoke one first.") % live)


def note_use(token: ApiToken) -> None:
    """Store when a token was last used, at most once in some minutes: each time is a write."""
    now = timezone.now()
    if token.last_used_at is not None and token.last_used_at > now - timedelta(minutes=10):
        return
    try:
        with transaction.atomic():
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    except OperationalError as error:
        # While the database is read-only, requests that only read still succeed.
        logger.warning("the use of a token was not noted: %s", describe(error))


@transaction.atomic
def revoke_token(*, user: User, token_key: str) -> None:
    """Delete a token by its beginning: the user's own, or of a team that the user owns. Raises NotFound."""
    token = None
    # PostgreSQL refuses a NUL character in a query.
    if token_key.isascii() and token_key.isprintable():
        owned = Membership.objects.filter(user=user, role=Role.OWNER, team__owner_alone=None)
        is_theirs = Q(team=None, user=user) | Q(team__in=owned.values("team"))
        token = ApiToken.objects.filter(is_theirs, ci_job=None, token_key=token_key).first()
    if token is None:
        raise NotFound(_("You have no such token; it may already have been revoked."))
    end_token(token, by=user)


@transaction.atomic
def revoke_all_tokens(*, user: User) -> None:
    """Delete all of the user's own tokens, also those that programs may still fetch."""
    DeviceCode.objects.filter(user=user).delete()
    for token in tokens_of(user):
        end_token(token, by=user)


def clear_expired() -> None:
    """Delete what has expired: sessions, tokens, jobs, codes, links, invitations, counts, addresses."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    # For so long the answer to an expired token says that it expired.
    ApiToken.objects.filter(expiry__lt=now - timedelta(days=30)).delete()
    LimitEntry.objects.filter(expires__lt=now).delete()
    CiJob.objects.unneeded(now).delete()
    for model in (TeamInvitation, ReviewLink, DeviceCode):
        model._default_manager.filter(expires_at__lt=now).delete()
    SignInAddress.objects.filter(last_at__lt=now - timedelta(days=180)).delete()
    old = Submission.objects.filter(received_at__lt=now - timedelta(days=31))
    old.exclude(address_digest="").update(address_digest="")


def end_token(token: ApiToken, *, by: User) -> None:
    """Delete a token, in the caller's transaction."""
    audit.record(AuditEvent.Action.TOKEN_REVOKED, actor=by, name=token.name, key=token.token_key)
    token.delete()
