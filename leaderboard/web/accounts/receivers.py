"""Receivers of the signals that allauth sends when an account changes."""

from allauth.account import signals
from django.dispatch import receiver
from django.http import HttpRequest

from leaderboard.models import User
from leaderboard.services.accounts import revoke_all_tokens
from leaderboard.web.accounts.limits import remember_address


@receiver(signals.password_reset)
def after_password_reset(request: HttpRequest, user: User, **_: object) -> None:
    """Revoke all tokens, since a thief of the old password may have created some; remember the address."""
    revoke_all_tokens(user=user)
    remember_address(request, user)
