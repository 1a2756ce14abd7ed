"""Find API tokens that expire soon, and write an email for the owner of each."""

from datetime import datetime, timedelta

from leaderboard.models import ApiToken, EmailKind, Notification
from leaderboard.services.notifications.choices import addresses_of, wants
from leaderboard.services.text import remove_hidden_characters

_SOON = timedelta(days=7)
# Whoever made a token for some days knows when it ends.
_SHORTEST = 2 * _SOON


def collect_expiring(now: datetime) -> int:
    """Write an email about each token that expires within a week; return how many."""
    soon = ApiToken.objects.filter(expiry__gt=now, expiry__lte=now + _SOON, user__is_active=True)
    tokens = [token for token in soon.select_related("user") if token.expiry - token.created >= _SHORTEST]
    verified = addresses_of({token.user_id for token in tokens})
    rows = [
        Notification(
            user_id=token.user_id,
            event=f"token:{token.token_key}:{token.expiry:%Y%m%d%H%M}",
            kind=EmailKind.TOKEN,
            data={
                "name": remove_hidden_characters(token.name),
                "key": token.token_key,
                "at": f"{token.expiry:%Y-%m-%d %H:%M}",
            },
            created_at=now,
            due_at=now,
        )
        for token in tokens
        if token.user_id in verified and wants(token.user, EmailKind.TOKEN)
    ]
    known = set(
        Notification.objects.filter(event__in=[row.event for row in rows]).values_list("event", flat=True)
    )
    new = [row for row in rows if row.event not in known]
    # Another process may collect the same tokens: the constraint keeps the first row.
    Notification.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)
