"""Forms that take the place of allauth's. Not in forms.py, which allauth imports while it defines its own.

What a browser sends in the forms of passkeys may be anything.
"""

import json
import struct
from typing import Any

from allauth.account.forms import ChangePasswordForm, ResetPasswordForm, SignupForm
from allauth.core import ratelimit
from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn.forms import AddWebAuthnForm, AuthenticateWebAuthnForm, ReauthenticateWebAuthnForm
from allauth.socialaccount.forms import SignupForm as ProviderSignupForm
from django import forms
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy

from leaderboard.services.accounts import revoke_all_tokens

# What allauth and fido2 raise, besides ValidationError, for an answer that no authenticator gives.
_NONSENSE = (ValueError, TypeError, LookupError, AttributeError, struct.error, RecursionError)


class CountedSignUp:
    """Mixin of the forms for a new account: answers one too many of a network address with 429."""

    account_already_exists: bool

    def try_save(self, request: HttpRequest) -> tuple[Any, HttpResponse | None]:
        # An address that has an account counts like any other, so that the limit does not tell which do.
        if not ratelimit.consume(request, action="sign_ups"):
            return None, ratelimit.respond_429(request)
        try:
            with transaction.atomic():
                saved: tuple[Any, HttpResponse | None] = super().try_save(request)  # type: ignore[misc]
                return saved
        except IntegrityError:
            # The same form, sent twice at once: the other request has created the account.
            return None, redirect("account_login")


class NewAccountForm(CountedSignUp, SignupForm):  # type: ignore[misc]  # allauth has no types
    """Email address, password and the fields of leaderboard.web.accounts.forms.SignUpForm."""


class SignUpWithProviderForm(CountedSignUp, ProviderSignupForm):  # type: ignore[misc]
    """Asks for a name, and for an address unless the provider has verified one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        addresses = self.sociallogin.email_addresses
        if addresses and addresses[0].verified:
            self.fields["email"].disabled = True
            self.fields["email"].help_text = gettext("Verified by %(provider)s.") % {
                "provider": self.sociallogin.provider.name
            }


class ForgottenPasswordForm(ResetPasswordForm):  # type: ignore[misc]
    """Refuses, with the reason, where no email can be sent."""

    def clean_email(self) -> str:
        if settings.NOTIFIES:
            return str(super().clean_email())
        raise forms.ValidationError(
            gettext("This service sends no emails. Ask its operator for a new password.")
        )


class PasswordForm(ChangePasswordForm):  # type: ignore[misc]
    """Ends tokens with the old password, unless the person wants to keep them."""

    revoke_tokens = forms.BooleanField(
        label=gettext_lazy("Revoke my tokens too"),
        required=False,
        initial=True,
        help_text=gettext_lazy("Untick this only if no one else knew the old password."),
    )

    def save(self) -> None:
        super().save()
        if self.cleaned_data["revoke_tokens"]:
            revoke_all_tokens(user=self.user)


class _CredentialField(forms.JSONField):
    """The answer of an authenticator, as the script of the page writes it."""

    widget = forms.HiddenInput

    def clean(self, value: Any) -> Any:
        credential = super().clean(value)
        # PostgreSQL stores no NUL character.
        if not isinstance(credential, dict) or "\\u0000" in json.dumps(credential):
            raise get_adapter().validation_error("incorrect_code")
        return credential

    def bound_data(self, data: Any, initial: Any) -> Any:
        # An answer counts once: the page does not repeat one that was refused.
        return None


class _WithCredential:
    """Mixin of the forms of passkeys: an answer that cannot be read is an error of the form."""

    def full_clean(self) -> None:
        try:
            super().full_clean()  # type: ignore[misc]
        except _NONSENSE:
            self.add_error(None, get_adapter().validation_error("incorrect_code"))  # type: ignore[attr-defined]


class NewPasskeyForm(_WithCredential, AddWebAuthnForm):  # type: ignore[misc]
    credential = _CredentialField()


class PasskeyForm(_WithCredential, AuthenticateWebAuthnForm):  # type: ignore[misc]
    credential = _CredentialField()


class PasskeyAgainForm(_WithCredential, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    credential = _CredentialField()
