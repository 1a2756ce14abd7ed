"""Forms that ask for a code, with a label that names both kinds of it."""

from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from django import forms
from django.utils.translation import gettext_lazy


class _CodeField(forms.CharField):
    def __init__(self) -> None:
        widget = forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"})
        super().__init__(label=gettext_lazy("Authenticator or recovery code"), max_length=40, widget=widget)


class CodeForm(AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    code = _CodeField()


class CodeAgainForm(ReauthenticateForm):  # type: ignore[misc]
    code = _CodeField()
