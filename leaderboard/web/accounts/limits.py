"""Limits on sign-ins and sign-ups, which allauth counts in the cache that all processes share.

Wrong passwords count by account and network address together, never by account alone: otherwise anyone could
lock anyone out. ACCOUNT_RATE_LIMITS has the numbers, and docs/operators-sign-in.md the rule.
"""

from allauth.account.adapter import get_adapter
from allauth.account.utils import filter_users_by_email
from allauth.core import ratelimit
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from leaderboard.models import SignInAddress, User
from leaderboard.networks import network_of

_BY_STRANGERS = "wrong_password_of_strangers"


def pair(request: HttpRequest, email: str) -> str:
    """Return whose wrong passwords count together: an account and a network address."""
    return f"{email.lower()} {_network(request)}"


def is_guessed_by_strangers(request: HttpRequest, email: str) -> bool:
    """Return whether the request is of a stranger to the account, who have tried too many passwords."""
    is_left = ratelimit.consume(request, action=_BY_STRANGERS, key=email.lower(), dry_run=True)
    return not is_left and not _is_known(request, email)


def count_wrong_password(request: HttpRequest, email: str) -> None:
    """Count a wrong password of an address from which nobody has signed in to the account."""
    if not _is_known(request, email):
        ratelimit.consume(request, action=_BY_STRANGERS, key=email.lower())


def remember_address(request: HttpRequest, user: User) -> None:
    """Note that the user signed in from the address of the request."""
    SignInAddress.objects.update_or_create(user=user, digest=_digest(request, user))


def _is_known(request: HttpRequest, email: str) -> bool:
    """Return whether someone has signed in to the account from the address of the request."""
    digests = [_digest(request, user) for user in filter_users_by_email(email)]
    return SignInAddress.objects.filter(digest__in=digests).exists()


def _network(request: HttpRequest) -> str:
    return network_of(get_adapter().get_client_ip(request))


def _digest(request: HttpRequest, user: User) -> str:
    """Return the keyed digest of an address, which reveals nothing without SECRET_KEY."""
    text = f"{user.pk} {_network(request)}"
    return salted_hmac("leaderboard.sign-in-address", text, algorithm="sha256").hexdigest()
