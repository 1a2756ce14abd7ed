"""Views for people who are signed in, and their request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.models import User
from leaderboard.services.errors import ServiceError, StorageAway, WrongState


class SignedInRequest(HttpRequest):
    """A request whose user is known to be signed in; for annotations only."""

    user: User


def sign_in_first(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let only people who are signed in use a view; send others to sign in, then back.

    A form cannot be sent again after that, and its address may take no GET. So its sender, whose session
    has ended, comes back to the page of the form and hears that nothing was changed.
    """

    @wraps(view)
    def check(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            return redirect_to_login(request.get_full_path())
        messages.warning(
            request, _("You are not signed in any more, so nothing was changed. Sign in, then do it again.")
        )
        return redirect_to_login(_page_of_form(request))

    return check


def form_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let people who are signed in see a page and send its form; no cache keeps the page."""
    return require_http_methods(["GET", "HEAD", "POST"])(sign_in_first(never_cache(view)))


def action(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let people who are signed in do what the form of another page asks for."""
    return require_POST(sign_in_first(view))


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what was typed into the form of a page; None where the page is only asked for."""
    return request.POST if request.method == "POST" else None


@contextmanager
def report(
    request: HttpRequest, done: str, refusals: tuple[type[ServiceError], ...] = (WrongState, StorageAway)
) -> Iterator[None]:
    """Say on the next page that an action is done, or why its use-case refused it."""
    try:
        yield
        messages.success(request, done)
    except refusals as error:
        messages.error(request, error.detail)


def _page_of_form(request: HttpRequest) -> str:
    """Return the page of ours from which a form was sent, or the page that people see after signing in."""
    referrer = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(referrer, {request.get_host()}, request.is_secure()):
        return resolve_url(settings.LOGIN_REDIRECT_URL)
    return urlsplit(referrer)._replace(scheme="", netloc="", fragment="").geturl()
