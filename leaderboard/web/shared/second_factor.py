"""What staff may do only after they gave a second factor, where settings.STAFF_SECOND_FACTOR is set."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.account.utils import get_next_redirect_url
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from leaderboard.http.readers import reader_of


def ask_for_second_factor(admin_login: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Send superusers who signed in without a second factor to where they give one, or set one up.

    The view raises PermissionDenied for everyone else who is signed in.
    """

    @wraps(admin_login)
    def login(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and not request.user.is_superuser:
            raise PermissionDenied
        if not request.user.is_authenticated or reader_of(request).is_confirmed:
            return admin_login(request, *args, **kwargs)
        text = gettext("Your account may use the admin site once it has a second factor. Set one up here.")
        next_page = get_next_redirect_url(request) or reverse("admin:index")
        return demand_second_factor(request, next_page=next_page, text=text)

    return login


def demand_second_factor(request: HttpRequest, *, next_page: str, text: str) -> HttpResponse:
    """Send a signed-in user to give a second factor and then to `next_page`, or to set one up.

    text: says what takes a second factor, to those who have none.
    """
    if is_mfa_enabled(request.user):
        return redirect(f"{reverse('mfa_reauthenticate')}?{urlencode({'next': next_page})}")
    messages.warning(request, text)
    return redirect("mfa_index")
