"""Find API tokens that expire soon, and write emails: to a person, or to the owners of the token's team."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from leaderboard.models import ApiToken, EmailKind, Membership, Notification, Role, User
from leaderboard.services.notifications.choices import addresses_of, wants
from leaderboard.services.text import remove_hidden_characters

_SOON = timedelta(days=7)
# Tokens that live for only some days are left out: their owners know when they end.
_SHORTEST = 2 * _SOON


def collect_expiring(now: datetime) -> int:
    """Write an email about each token that expires within a week; return how many."""
    # Of a CI job no token lives so long.
    soon = ApiToken.objects.filter(expiry__gt=now, expiry__lte=now + _SOON)
    tokens = [
        token for token in soon.select_related("user", "team") if token.expiry - token.created >= _SHORTEST
    ]
    receivers = {token.pk: list(_receivers(token)) for token in tokens}
    verified = addresses_of({user.pk for users in receivers.values() for user in users})
    rows = [
        Notification(
            user=user,
            event=f"token:{token.token_key}:{token.expiry:%Y%m%d%H%M}",
            kind=EmailKind.TOKEN,
            data=_data(token),
            created_at=now,
            due_at=now,
        )
        for token in tokens
        for user in receivers[token.pk]
        if user.pk in verified and wants(user, EmailKind.TOKEN)
    ]
    known = set(
        Notification.objects.filter(event__in=[row.event for row in rows]).values_list("event", flat=True)
    )
    new = [row for row in rows if row.event not in known]
    # Another process may collect the same tokens: the constraint keeps the first row.
    Notification.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def _receivers(token: ApiToken) -> Iterator[User]:
    """Yield the people who can replace a token: its owner, or all owners of the team that it belongs to."""
    if token.team is None:
        yield token.user
        return
    for row in Membership.objects.filter(team=token.team, role=Role.OWNER).select_related("user"):
        yield row.user


def _data(token: ApiToken) -> dict[str, Any]:
    team = {"team": remove_hidden_characters(token.team.name)} if token.team else {}
    return {
        "name": remove_hidden_characters(token.name),
        "key": token.token_key,
        "at": f"{token.expiry:%Y-%m-%d %H:%M}",
        **team,
    }
