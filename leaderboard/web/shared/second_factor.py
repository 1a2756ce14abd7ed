"""What staff may do only after they gave a second factor, where settings.STAFF_SECOND_FACTOR is set."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.utils import get_next_redirect_url
from allauth.core.internal.httpkit import add_query_params
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext


def acts_as_staff(request: HttpRequest) -> bool:
    """Return whether the request may do what staff may: the admin site, submissions of others."""
    user = request.user
    return user.is_active and user.is_staff and _has_second_factor(request)


def ask_for_second_factor(admin_login: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Send staff who signed in without a second factor to where they give one, or set one up."""

    @wraps(admin_login)
    def login(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated or not request.user.is_staff or _has_second_factor(request):
            return admin_login(request, *args, **kwargs)
        if is_mfa_enabled(request.user):
            next_page = get_next_redirect_url(request) or reverse("admin:index")
            return redirect(add_query_params(reverse("mfa_reauthenticate"), {"next": next_page}))
        text = gettext("Your account may use the admin site once it has a second factor. Set one up here.")
        messages.warning(request, text)
        return redirect("mfa_index")

    return login


def _has_second_factor(request: HttpRequest) -> bool:
    if not settings.STAFF_SECOND_FACTOR:
        return True
    records = get_authentication_records(request, request.user)
    # A factor that was removed since counts no longer.
    return any(record["method"] == "mfa" for record in records) and is_mfa_enabled(request.user)
