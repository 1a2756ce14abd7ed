"""Leave for a provider, come back, sign up with its account, and list the accounts that are linked."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from allauth.account.decorators import reauthentication_required
from allauth.decorators import rate_limit
from allauth.socialaccount import views
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.github import views as github
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.web.accounts.guards import in_one_transaction, sign_in_again, signed_in_recently
from leaderboard.web.accounts.providers.adapter import linked_accounts
from leaderboard.web.shared.signed_in_request import SignedInRequest, form_page

_LANGUAGE = "language_of_sign_in"
# What allauth raises for a document of a provider that is not what it should be.
_UNREADABLE = (AttributeError, ImproperlyConfigured, LookupError, RecursionError, TypeError, ValueError)


def _provider(request: HttpRequest, provider_id: str) -> Any:
    for provider in get_adapter(request).list_providers(request):
        if provider.sub_id == provider_id:
            return provider
    raise Http404("no such provider")


def _ask(request: HttpRequest, provider: Any, view: Callable[..., HttpResponse]) -> HttpResponse:
    """Return the answer of a view of allauth, or an error where the provider's document cannot be read."""
    try:
        return view(request) if provider.id == "github" else view(request, provider.sub_id)
    # No answer is an OSError; the same account may be linked in two windows at once.
    except (*_UNREADABLE, OSError, IntegrityError) as error:
        answer: HttpResponse = render_authentication_error(request, provider, exception=error)
        return answer


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@rate_limit(action="provider")  # type: ignore[untyped-decorator]  # allauth has no types
def start(request: HttpRequest, provider_id: str = "github") -> HttpResponse:
    """Ask whether to sign in with a provider, and go there once that is confirmed."""
    provider = _provider(request, provider_id)
    is_linking = request.GET.get("process") == "connect"
    if request.method == "POST" and is_linking and (sign_in_page := sign_in_again(request)):
        return sign_in_page
    # A link can add neither scopes nor parameters to a sign-in.
    query = {"process": "connect" if is_linking else "login", "next": request.GET.get("next", "")}
    if request.user.is_authenticated and not is_linking:
        query["auth_params"] = "prompt=login"
    request.GET = QueryDict(urlencode(query))
    request.session[_LANGUAGE] = translation.get_language()
    answer = _ask(request, provider, github.oauth2_login if provider.id == "github" else openid_connect.login)
    if not isinstance(answer, HttpResponseRedirect):
        return answer
    # A browser applies `form-action` of our policy to redirects of a form as well.
    return render(request, "socialaccount/leave.html", {"provider": provider, "address": answer.url})


@require_http_methods(["GET", "HEAD"])
@never_cache
def callback(request: HttpRequest, provider_id: str = "github") -> HttpResponse:
    """Take the answer of a provider, which knows one address, whatever the language of the page."""
    provider = _provider(request, provider_id)
    translation.activate(request.session.get(_LANGUAGE, settings.LANGUAGE_CODE))
    return _ask(
        request, provider, github.oauth2_callback if provider.id == "github" else openid_connect.callback
    )


@never_cache
@in_one_transaction
def sign_up(request: HttpRequest) -> HttpResponse:
    try:
        answer: HttpResponse = views.signup(request)
    except SocialApp.DoesNotExist:
        # The provider was taken out of the settings meanwhile.
        return redirect("account_login")
    return answer


class LinkedView(views.ConnectionsView):  # type: ignore[misc]
    """The accounts elsewhere that sign in to this one; links and unlinks them."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "linked": linked_accounts(self.request)}


@form_page
@signed_in_recently
@reauthentication_required  # type: ignore[untyped-decorator]
@transaction.atomic
def linked(request: SignedInRequest) -> HttpResponse:
    try:
        answer: HttpResponse = LinkedView.as_view()(request)
    except SocialApp.DoesNotExist as error:
        raise Http404("its provider is no longer set up") from error
    return answer
