"""Forms that ask for a code, with our labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


def _code_field(label: _StrPromise) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"})
    return forms.CharField(label=label, max_length=40, widget=widget)


class CodeForm(AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    code = _code_field(gettext_lazy("Authenticator or recovery code"))


class CodeAgainForm(ReauthenticateForm):  # type: ignore[misc]
    code = _code_field(gettext_lazy("Authenticator or recovery code"))


class NewAppForm(ActivateTOTPForm):  # type: ignore[misc]
    code = _code_field(gettext_lazy("Authenticator code"))
