"""Decide which account a sign-in provider may sign in to, and store the link."""

import logging
from typing import Any

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount import app_settings
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthProcess
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.shortcuts import render
from django.utils.translation import gettext_lazy

from leaderboard.http.problems import status_of
from leaderboard.models import User
from leaderboard.monitoring.withheld import describe
from leaderboard.services.access import has_rights_over_others
from leaderboard.services.notifications.choices import addresses_of

logger = logging.getLogger(__name__)


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Links a provider's account to one here only if both sides have verified the email address."""

    error_messages = {
        **DefaultSocialAccountAdapter.error_messages,
        "email_taken": gettext_lazy("This address has an account. Sign in to it, then link %s there."),
        "no_password": gettext_lazy("Set a password first: this is your only way to sign in."),
        "no_verified_email": gettext_lazy(
            "Verify your email address first: a password alone can be forgotten."
        ),
    }

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Return the providers of the settings; those of allauth's table do not count."""
        apps = [
            SocialApp(provider=kind, **app)
            for kind, known in app_settings.PROVIDERS.items()
            for app in known["APPS"]
        ]
        return [
            app
            for app in apps
            if provider in (None, app.provider, app.provider_id) and client_id in (None, app.client_id)
        ]

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        user: User = sociallogin.user
        user.email, user.first_name = data.get("email") or "", data.get("name") or ""
        return user

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, str]:
        addresses = sociallogin.email_addresses
        return {"email": addresses[0].email if addresses else "", "name": sociallogin.user.first_name}

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """Return the account with a verified address that the provider has verified too; None for none.

        Never an account with rights over others or with a second factor: its owner signs in and links.
        """
        for email in (address.email for address in sociallogin.email_addresses if address.verified):
            own = EmailAddress.objects.filter(email=email, verified=True, user__is_active=True).first()
            if own and not (has_rights_over_others(own.user) or is_mfa_enabled(own.user)):
                return own.user, email
        return None

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        # The session of someone who signs up would store it.
        sociallogin.token = None
        if sociallogin.is_existing or sociallogin.state.get("process") == AuthProcess.CONNECT:
            return
        usable = [address for address in sociallogin.email_addresses if _is_usable(address.email)]
        # That of the provider's account, if verified; else one that is verified.
        usable.sort(key=lambda address: (not address.verified, not address.primary))
        sociallogin.email_addresses = usable[:1]
        if usable and usable[0].verified and filter_users_by_email(usable[0].email):
            # The provider has verified that the address is theirs, so they may learn that it has an account.
            context = {"provider": sociallogin.provider, "email": usable[0].email}
            page = render(request, "socialaccount/taken.html", context, status=status_of("wrong-state"))
            raise ImmediateHttpResponse(page)

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        if exception is not None:
            # The text of an error of OAuth quotes what the provider sent.
            cause = describe(exception.__cause__ or exception)
            logger.warning("sign-in with %s failed: %s: %s", provider, type(exception).__name__, cause)

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, **_: Any
    ) -> None:
        """Email a person that a provider's account was linked or unlinked."""
        address = addresses_of([user.pk]).get(user.pk)
        if address is None:
            return
        get_account_adapter().send_mail(template_prefix, address, context or {})


def provider_name(account: SocialAccount, request: HttpRequest) -> str:
    """Return the name of an account's provider; its id where it is no longer set up."""
    for app in ProviderAdapter(request).list_apps(request, provider=account.provider):
        return str(app.name)
    return str(account.provider)


def linked_accounts(request: HttpRequest) -> list[tuple[str, str]]:
    """Return provider and name there of each account that signs in to that of the request."""
    rows = SocialAccount.objects.filter(user=request.user).order_by("date_joined")
    return [(provider_name(row, request), row.extra_data.get("handle", "")) for row in rows]


def _is_usable(email: str) -> bool:
    try:
        get_account_adapter().clean_email(email)
    except ValidationError:
        return False
    return True
