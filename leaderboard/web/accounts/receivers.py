"""Receivers of the signals that allauth sends when an account changes."""

from allauth.account import signals
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from django.dispatch import receiver
from django.http import HttpRequest

from leaderboard.models import User
from leaderboard.services.accounts import revoke_all_tokens
from leaderboard.web.accounts.limits import sign_ins, sign_ups


@receiver(signals.password_reset)
def after_password_reset(request: HttpRequest, user: User, **_: object) -> None:
    """Revoke all tokens, since a thief of the old password may have created some; let the owner sign in."""
    revoke_all_tokens(user=user)
    sign_ins.forgive(request, user)


@receiver(signals.email_confirmed)
def after_confirmation(request: HttpRequest, email_address: EmailAddress, **_: object) -> None:
    """Count the address in its domain; where the domain has to wait, the link works later."""
    if wait := sign_ups.count_verified(request, email_address.email):
        email_address.verified = False
        email_address.save(update_fields=["verified"])
        raise ImmediateHttpResponse(sign_ups.try_later(request, wait))
