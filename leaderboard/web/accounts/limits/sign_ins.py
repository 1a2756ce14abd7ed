"""Limit wrong passwords: by account and network address together, never by account alone.

Otherwise anyone could lock anyone out. RATE_LIMITS has the numbers, and docs/operators-sign-in.md
the rule. allauth counts, in the cache that all processes share.
"""

from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from leaderboard.models import SignInAddress, User

_APP = "allauth.account"
_BY_ADDRESS = "wrong_password"
_BY_STRANGERS = "wrong_password_of_strangers"
_DEVICE_CODE = "wrong_device_code"


def count_attempt(request: HttpRequest, email: str) -> RateLimitUsage | None:
    """Count a password as wrong until it proves right; return None if it may not be tried.

    The result takes the count back when its `rollback` is called.
    """
    counted = ratelimit.consume(request, app=_APP, action=_BY_ADDRESS, key=_pair(request, email))
    if counted is None or _is_known(request, email):
        return counted
    by_strangers = ratelimit.consume(request, app=_APP, action=_BY_STRANGERS, key=email.lower())
    if by_strangers is None:
        return None
    return RateLimitUsage(usage=[*counted.usage, *by_strangers.usage])


def count_device_code(request: HttpRequest, user: User) -> RateLimitUsage | None:
    """Count the code of a program as wrong until it proves right; return None if it may not be tried.

    The result takes the count back when its `rollback` is called.
    """
    # A link has the code too, so that GET guesses as well.
    return ratelimit.consume(request, app=_APP, action=_DEVICE_CODE, key=str(user.pk), limit_get=True)


def remember_address(request: HttpRequest, user: User) -> None:
    """Note that the user signed in from the address of the request."""
    SignInAddress.objects.update_or_create(user=user, digest=_digest(request, user))


def forgive(request: HttpRequest, user: User) -> None:
    """Let a user who has proved to own the account sign in from this address at once."""
    for email in {user.email, *EmailAddress.objects.filter(user=user).values_list("email", flat=True)}:
        ratelimit.clear(request, app=_APP, action=_BY_ADDRESS, key=_pair(request, email))
    remember_address(request, user)


def _is_known(request: HttpRequest, email: str) -> bool:
    """Return whether someone has signed in to the account from the address of the request."""
    digests = [_digest(request, user) for user in filter_users_by_email(email, for_login=True)]
    return SignInAddress.objects.filter(digest__in=digests).exists()


def _pair(request: HttpRequest, email: str) -> str:
    return f"{email.lower()} {ratelimit.get_ip(request)}"


def _digest(request: HttpRequest, user: User) -> str:
    """Return the keyed digest of an address, which reveals nothing without SECRET_KEY."""
    text = f"{user.pk} {ratelimit.get_ip(request)}"
    return salted_hmac("leaderboard.sign-in-address", text, algorithm="sha256").hexdigest()
