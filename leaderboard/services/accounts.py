"""Teams and API tokens."""

from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import ApiToken, AuditEvent, Membership, Role, Team, User
from leaderboard.services import audit
from leaderboard.services.errors import NotFound
from leaderboard.services.publishing.standing_facts import update_standings
from leaderboard.services.text import has_visible_character, is_readable, remove_hidden_characters

_NAMELESS = "Unnamed team"


def personal_team(user: User) -> Team:
    """Return the team of one that `user` is, made at the first asking."""
    team = Team.objects.filter(owner_alone=user).first()
    if team is None:
        with transaction.atomic():
            name = _readable(user.get_full_name() or user.email.partition("@")[0])
            # get_or_create: the constraint decides when two requests ask at once.
            team, made = Team.objects.get_or_create(owner_alone=user, defaults={"name": name})
            if made:
                Membership.objects.create(team=team, user=user, role=Role.OWNER)
    elif not is_readable(team.name):
        _rename(team)
    return team


def rename_unreadable() -> None:
    """Give teams that were made while sign-up took any name one that can be read, on their boards too."""
    names = Team.objects.values_list("pk", "name").iterator()
    # All read first: SQLite does not read on while it is written to.
    found = [pk for pk, name in names if not is_readable(name)]
    for team in Team.objects.in_bulk(found).values():
        _rename(team)


@transaction.atomic
def _rename(team: Team) -> None:
    before, team.name = team.name, _readable(team.name)
    # Whoever has renamed it meanwhile is not overruled.
    if Team.objects.filter(pk=team.pk, name=before).update(name=team.name):
        update_standings(team=team)


def _readable(name: str) -> str:
    """Return `name` as others may be shown it; accounts of the admin and of commands have any."""
    name = remove_hidden_characters(name)[:120].rstrip()
    return name if has_visible_character(name) else _NAMELESS


@transaction.atomic
def create_token(*, user: User, name: str, days: int | None) -> tuple[ApiToken, str]:
    """Return a new token and its text, which is kept nowhere and cannot be shown again.

    days: until it expires, 1 or more; None: never.
    """
    expiry = timedelta(days=days) if days is not None else None
    token, text = ApiToken.objects.create(user=user, expiry=expiry, name=name)
    audit.record(AuditEvent.Action.TOKEN_CREATED, actor=user, name=name, key=token.token_key)
    return token, text


@transaction.atomic
def revoke_token(*, user: User, token_key: str) -> None:
    """End the user's token that begins with `token_key`; NotFound where there is none."""
    token = None
    # PostgreSQL takes no NUL in a text.
    if token_key.isascii() and token_key.isprintable():
        token = ApiToken.objects.filter(user=user, token_key=token_key).first()
    if token is None:
        raise NotFound(_("You have no such token; it may have been revoked already."))
    audit.record(AuditEvent.Action.TOKEN_REVOKED, actor=user, name=token.name, key=token.token_key)
    token.delete()
