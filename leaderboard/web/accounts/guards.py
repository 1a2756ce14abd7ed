"""What guards pages: one transaction where accounts are made, and another sign-in before sensitive pages."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any

from allauth.account import app_settings
from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _


def in_one_transaction(
    view: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Wrap a page that makes accounts: one is stored together with the email that confirms its address."""

    @wraps(view)
    def wrapped(request: HttpRequest) -> HttpResponse:
        with transaction.atomic() if request.method == "POST" else nullcontext():
            return view(request)

    return wrapped


def signed_in_recently(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Send a person whose last sign-in is not recent to the provider, and then to the page of `view`.

    allauth asks everyone else for the password or the second factor, and these people for nothing.
    """

    @wraps(view)
    def check(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return sign_in_again(request) or view(request, *args, **kwargs)

    return check


def sign_in_again(request: HttpRequest) -> HttpResponse | None:
    """Return a redirect to the provider; None if the person need not sign in again there."""
    user = request.user
    if not user.is_authenticated or user.has_usable_password() or is_mfa_enabled(user):
        return None
    records = get_authentication_records(request, user)
    if records and time.time() - records[-1]["at"] < app_settings.REAUTHENTICATION_TIMEOUT:
        return None
    linked = set(SocialAccount.objects.filter(user=user).values_list("provider", flat=True))
    for provider in get_adapter(request).list_providers(request):
        if provider.sub_id in linked:
            messages.info(request, _("Sign in again: this affects the security of your account."))
            return redirect(provider.get_login_url(request, next=request.path))
    return None
