"""Adapters: where accounts work differently from allauth's defaults."""

import base64
import logging
import secrets
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from leaderboard import encryption
from leaderboard.models import User
from leaderboard.monitoring import metrics
from leaderboard.services.drafts import drafts
from leaderboard.services.notifications.outbox import Outbox
from leaderboard.services.text import validate_email_address
from leaderboard.web.accounts import limits
from leaderboard.web.shared.draft_cookie import draft_id_of
from leaderboard.web.shared.pending_invitation import invitation_path

logger = logging.getLogger(__name__)

_PURPOSE = "second factors"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Limits wrong passwords by account and address, and addresses to what the database can hold.

    No request sends an email itself.
    """

    def clean_email(self, email: str) -> str:
        validate_email_address(email)
        return email

    def render_mail(self, *args: Any, **kwargs: Any) -> EmailMessage:
        message: EmailMessage = super().render_mail(*args, **kwargs)
        message.connection = Outbox()
        return message

    def add_message(
        self, request: HttpRequest, level: int, message_template: str = "", *args: Any, **kwargs: Any
    ) -> None:
        # Without a mail server nothing was sent.
        if settings.NOTIFIES or message_template != "account/messages/email_confirmation_sent.txt":
            super().add_message(request, level, message_template, *args, **kwargs)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # Of "login_failed", whose count allauth takes back when the password proves right.
        return limits.pair(request, credentials["email"])

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            super().pre_authenticate(request, **credentials)
            if limits.is_guessed_by_strangers(request, credentials["email"]):
                raise self.validation_error("too_many_login_attempts")
        except ValidationError:
            metrics.SIGN_INS_REFUSED.inc()
            raise

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        limits.count_wrong_password(request, credentials["email"])

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        limits.remember_address(request, user)
        response: HttpResponse = super().post_login(request, user, **kwargs)
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Return the invitation that was opened, where a file of this browser waits, or the usual page."""
        if path := invitation_path(request):
            return path
        if drafts.find_waiting(draft_id_of(request)):
            return reverse("web:choose")
        return str(super().get_login_redirect_url(request))

    get_signup_redirect_url = get_login_redirect_url


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Encrypts secrets, which a copy of the database does not hold then."""

    def encrypt(self, text: str) -> str:
        return encryption.encrypt(text, purpose=_PURPOSE)

    def decrypt(self, encrypted: str) -> str:
        """Return the text that `encrypt` was given.

        Where no key fits, it returns random base32: no code matches that, and the account stays protected.
        """
        try:
            return encryption.decrypt(encrypted, purpose=_PURPOSE)
        except InvalidToken:
            logger.warning(
                "A second factor cannot be read: SECRET_KEY is not the one that it was set up with"
            )
            return base64.b32encode(secrets.token_bytes(20)).decode()
