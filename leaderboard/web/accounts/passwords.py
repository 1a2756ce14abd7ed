"""The forms that set another password. In a module of their own for the reason that sign_in.py gives."""

from typing import Any

from allauth.account.forms import ChangePasswordForm, ResetPasswordKeyForm
from django import forms
from django.utils.translation import gettext_lazy

from leaderboard.services.accounts import revoke_all_tokens

ABOUT_PASSWORDS = gettext_lazy("At least 8 characters; avoid common passwords.")
# As all other labels, with one capital; those of allauth have one for each word.
_LABELS = {
    "oldpassword": gettext_lazy("Current password"),
    "password1": gettext_lazy("New password"),
    "password2": gettext_lazy("New password (again)"),
}


class ForgottenPasswordForm(ResetPasswordKeyForm):  # type: ignore[misc]  # allauth has no types
    """Asks for a new password, of someone who followed the link in an email."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _set_labels(self)


class PasswordForm(ChangePasswordForm):  # type: ignore[misc]
    """Ends API tokens with the old password, unless the person wants to keep them."""

    revoke_tokens = forms.BooleanField(
        label=gettext_lazy("Revoke my tokens too"),
        required=False,
        initial=True,
        help_text=gettext_lazy("Untick this only if no one else knew the old password."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _set_labels(self)

    def save(self) -> None:
        super().save()
        if self.cleaned_data["revoke_tokens"]:
            revoke_all_tokens(user=self.user)


def _set_labels(form: forms.Form) -> None:
    for name in _LABELS.keys() & form.fields.keys():
        form.fields[name].label = _LABELS[name]
        form.fields[name].widget.attrs["placeholder"] = _LABELS[name]
    form.fields["password1"].help_text = ABOUT_PASSWORDS
