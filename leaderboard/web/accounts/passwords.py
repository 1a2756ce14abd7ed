"""The form that changes a password. Not in forms.py, which allauth imports while it defines its own forms."""

from allauth.account.forms import ChangePasswordForm
from django import forms
from django.utils.translation import gettext_lazy

from leaderboard.services.accounts import revoke_all_tokens


class PasswordForm(ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    """Ends API tokens with the old password, unless the person wants to keep them."""

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
