"""Retire the short names of teams that ended: nobody takes one under which results were published.

Of a retired one a keyed digest is kept, because an account that is deleted leaves no name behind.
"""

from django.conf import settings
from django.utils.crypto import salted_hmac

from leaderboard.models import RetiredHandle, System, Team
from leaderboard.services.record.past import is_public

_SALT = "wardboard.team-handle"


def has_published(team: Team) -> bool:
    """Return whether a system was ever on a leaderboard while it belonged to the team."""
    systems = System.objects.filter(team=team).values_list("pk", flat=True)
    return any(is_public(pk) for pk in systems)


def retire(handle: str) -> None:
    """Keep a short name from being taken."""
    RetiredHandle.objects.get_or_create(digest=digests_of(handle)[0])


def is_retired(handle: str) -> bool:
    """Return whether a team that ended has used the short name."""
    return RetiredHandle.objects.filter(digest__in=digests_of(handle)).exists()


def digests_of(handle: str) -> list[str]:
    """Return the keyed digests that a short name may have been retired under, that of today's key first."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [salted_hmac(_SALT, handle, secret=key, algorithm="sha256").hexdigest() for key in keys]
