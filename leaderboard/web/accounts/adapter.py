"""What Wardboard does otherwise than allauth with accounts."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse

from leaderboard.models import User
from leaderboard.web.accounts import limits

# In lower case an address may be longer than it was typed.
_fits = MaxLengthValidator(EmailAddress._meta.get_field("email").max_length)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Limits wrong passwords by account and address, and addresses to what the database can hold."""

    def clean_email(self, email: str) -> str:
        _fits(email)
        return email

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        # allauth takes this count back when the password proves right.
        self._login_failed_rl_usage = limits.count_attempt(request, credentials["email"])
        if self._login_failed_rl_usage is None:
            raise self.validation_error("too_many_login_attempts")

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        limits.remember_address(request, user)
        response: HttpResponse = super().post_login(request, user, **kwargs)
        return response
