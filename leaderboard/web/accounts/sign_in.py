"""The form to sign in with, in our words."""

from allauth.account.forms import LoginForm
from django import forms
from django.utils.translation import gettext_lazy


class SignInForm(LoginForm):
    remember = forms.BooleanField(label=gettext_lazy("Remember me"), required=False)
