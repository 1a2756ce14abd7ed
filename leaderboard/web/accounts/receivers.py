"""What follows when allauth reports a change of an account."""

from allauth.account import signals
from django.dispatch import receiver
from django.http import HttpRequest

from leaderboard.models import User
from leaderboard.services.accounts import revoke_all_tokens
from leaderboard.web.accounts import limits


@receiver(signals.password_reset)
def after_password_reset(request: HttpRequest, user: User, **_: object) -> None:
    """Revoke what whoever knew the old password may have made, and let the owner sign in."""
    revoke_all_tokens(user=user)
    limits.forgive(request, user)
