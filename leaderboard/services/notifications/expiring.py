"""Find API tokens that expire soon, and write emails: to a person, or to the owners of the token's team."""

from datetime import datetime, timedelta
from typing import Any

from leaderboard.models import ApiToken, EmailKind, Membership, Role
from leaderboard.services.notifications.collect import TeamEvent, write_new
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
    return write_new(map(_event_of, tokens), now)


def _event_of(token: ApiToken) -> TeamEvent:
    """Return the event for those who can replace a token: its owner, or all owners of its team."""
    owners = Membership.objects.filter(team=token.team_id, role=Role.OWNER).values_list("user", flat=True)
    return TeamEvent(
        event=f"token:{token.token_key}:{token.expiry:%Y%m%d%H%M}",
        kind=EmailKind.TOKEN,
        people=frozenset(owners if token.team_id else [token.user_id]),
        data=_data(token),
    )


def _data(token: ApiToken) -> dict[str, Any]:
    team = {"team": remove_hidden_characters(token.team.name)} if token.team else {}
    return {
        "name": remove_hidden_characters(token.name),
        "key": token.token_key,
        "at": f"{token.expiry:%Y-%m-%d %H:%M}",
        **team,
    }
