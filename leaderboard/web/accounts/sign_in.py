"""The forms to sign in, with our label, and to sign up, within the limits.

In a module of its own: allauth imports the sign-up form from `forms` while it defines LoginForm.
"""

from typing import Any

from allauth.account.forms import LoginForm, SignupForm
from django import forms
from django.utils.translation import gettext_lazy

from leaderboard.web.accounts.passwords import ABOUT_PASSWORDS
from leaderboard.web.accounts.sign_up import CountedSignUp


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    remember = forms.BooleanField(label=gettext_lazy("Remember me"), required=False)


class NewAccountForm(CountedSignUp, SignupForm):  # type: ignore[misc]
    """Email address, password and the fields of leaderboard.web.accounts.forms.SignUpForm."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = ABOUT_PASSWORDS
