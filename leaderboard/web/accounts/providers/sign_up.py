"""The form of someone who signs up with an account elsewhere."""

from typing import Any

from allauth.socialaccount.forms import SignupForm
from django.utils.translation import gettext

from leaderboard.web.accounts.sign_up import CountedSignUp


class SignUpWithProviderForm(CountedSignUp, SignupForm):  # type: ignore[misc]  # allauth has no types
    """Asks for a name, and for an address unless the provider has verified one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        addresses = self.sociallogin.email_addresses
        if addresses and addresses[0].verified:
            self.fields["email"].disabled = True
            self.fields["email"].help_text = gettext("Verified by %(provider)s.") % {
                "provider": self.sociallogin.provider.name
            }
