"""The sign-in form with our label.

In a module of its own: allauth imports the sign-up form from `forms` while it defines LoginForm.
"""

from allauth.account.forms import LoginForm
from django import forms
from django.utils.translation import gettext_lazy


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    remember = forms.BooleanField(label=gettext_lazy("Remember me"), required=False)
