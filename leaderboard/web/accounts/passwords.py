"""The form to change the password. In a module of its own for the reason that sign_in.py gives."""

from allauth.account.forms import ChangePasswordForm
from django import forms
from django.utils.translation import gettext_lazy

from leaderboard.services.accounts import revoke_all_tokens


class PasswordForm(ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    """Asks also whether API tokens are to end with the old password."""

    revoke_tokens = forms.BooleanField(
        label=gettext_lazy("Revoke my tokens too"),
        required=False,
        help_text=gettext_lazy("Choose this if someone else may know the old password."),
    )

    def save(self) -> None:
        super().save()
        if self.cleaned_data["revoke_tokens"]:
            revoke_all_tokens(user=self.user)
