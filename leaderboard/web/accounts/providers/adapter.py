"""Decide which account a sign-in provider may sign in to, and what is kept of its answer."""

import logging
from typing import Any

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers.base import ProviderException
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy

from leaderboard.models import User
from leaderboard.monitoring.withheld import describe
from leaderboard.services.access import has_rights_over_others
from leaderboard.services.notifications.choices import addresses_of
from leaderboard.services.text import has_visible_character, remove_hidden_characters

logger = logging.getLogger(__name__)

_LONGEST_NAME = 120


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

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        """Keep of an answer who it is, a name and one address. Raises ProviderException for nobody."""
        user: User = sociallogin.user
        account = sociallogin.account
        # "None" is the text of a member that is null: all who have none would be one person.
        if account.uid == "None" or not account.uid.isprintable():
            raise ProviderException("the id of the person cannot be used")
        answers = [account.extra_data.get(name) for name in ("userinfo", "id_token")]
        if len({answer["sub"] for answer in answers if answer}) > 1:
            raise ProviderException("the userinfo is of another person than the ID token")
        account.extra_data = {"handle": _text(data, "username", "email", "name")}
        trusts_email = sociallogin.provider.app.settings.get("trusts_email", True)
        usable = [address for address in sociallogin.email_addresses if _is_usable(address.email)]
        for address in usable:
            # Some providers send a text, and the word "false" is not true.
            address.verified = trusts_email and (address.verified is True or address.verified == "true")
        # That of the provider's account, if verified; else one that is verified.
        usable.sort(key=lambda address: (not address.verified, not address.primary))
        sociallogin.email_addresses = usable[:1]
        user.email = usable[0].email if usable else ""
        user.first_name = _text(data, "name", "username")
        # An account is linked together with the email about it.
        sociallogin.connect = transaction.atomic(sociallogin.connect)
        return user

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        # The session of someone who signs up would store it.
        sociallogin.token = None

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, str]:
        return {"email": sociallogin.user.email, "name": sociallogin.user.first_name}

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """Return the account with a verified address that the provider has verified too; None for none.

        Never an account with rights over others or with a second factor: its owner signs in and links.
        """
        for email in (address.email for address in sociallogin.email_addresses if address.verified):
            own = EmailAddress.objects.filter(email=email, verified=True, user__is_active=True).first()
            if own and not (has_rights_over_others(own.user) or is_mfa_enabled(own.user)):
                return own.user, email
        return None

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, exception: Exception | None = None, **_: Any
    ) -> None:
        if exception is not None:
            # The text of an error of OAuth quotes what the provider sent.
            cause = describe(exception.__cause__ or exception)
            logger.warning("sign-in with %s failed: %s: %s", provider, type(exception).__name__, cause)

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, **_: Any
    ) -> None:
        """Email a person that a provider's account was linked or unlinked."""
        if address := addresses_of([user.pk]).get(user.pk):
            adapter = get_account_adapter()
            user_agent = adapter.get_http_user_agent(adapter.request)
            origin = {
                "ip": adapter.get_client_ip(adapter.request),
                "user_agent": remove_hidden_characters(user_agent)[:200],
                "timestamp": timezone.now(),
            }
            adapter.send_mail(template_prefix, address, origin | (context or {}))


def linked_accounts(request: HttpRequest) -> list[tuple[SocialAccount, str]]:
    """Return each account of a provider that signs in to that of the request, with the provider's name."""
    names = {provider.sub_id: provider.name for provider in get_adapter().list_providers(request)}
    rows = SocialAccount.objects.filter(user=request.user, provider__in=names).order_by("date_joined")
    return [(row, names[row.provider]) for row in rows]


def _text(data: dict[str, Any], *names: str) -> str:
    """Return the first of some members that is a text which can be shown; "" where none is."""
    texts = (remove_hidden_characters(text) for name in names if isinstance(text := data.get(name), str))
    return next((text[:_LONGEST_NAME].rstrip() for text in texts if has_visible_character(text)), "")


def _is_usable(email: str) -> bool:
    try:
        get_account_adapter().clean_email(email)
    except ValidationError:
        return False
    return True
