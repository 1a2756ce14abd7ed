"""Forms of passkeys. What a browser sends in them may be anything."""

import json
import struct
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn.forms import AddWebAuthnForm, AuthenticateWebAuthnForm, ReauthenticateWebAuthnForm
from django import forms

# What allauth and fido2 raise, besides ValidationError, for an answer that no authenticator gives.
_NONSENSE = (ValueError, TypeError, LookupError, AttributeError, struct.error, RecursionError)


class CredentialField(forms.JSONField):
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

    def prepare_value(self, value: Any) -> str:
        return ""


class _WithCredential:
    """Mixin of allauth's forms: an answer that cannot be read is an error of the form."""

    def full_clean(self) -> None:
        try:
            super().full_clean()  # type: ignore[misc]
        except _NONSENSE:
            self.add_error(None, get_adapter().validation_error("incorrect_code"))  # type: ignore[attr-defined]


class NewPasskeyForm(_WithCredential, AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    credential = CredentialField()


class PasskeyForm(_WithCredential, AuthenticateWebAuthnForm):  # type: ignore[misc]
    credential = CredentialField()


class PasskeyAgainForm(_WithCredential, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    credential = CredentialField()
