"""Leave for a provider, come back, sign up with its account, and list the accounts that are linked."""

from typing import Any

from allauth.account import views as account_views
from allauth.account.decorators import reauthentication_required
from allauth.core.internal import ratelimit
from allauth.socialaccount import views
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.internal.flows.connect import validate_disconnect
from allauth.socialaccount.models import SocialAccount, SocialApp
from allauth.socialaccount.providers.base import ProviderException
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.services.text import read_key
from leaderboard.web.accounts.limits.sign_ups import in_one_transaction
from leaderboard.web.accounts.providers.adapter import provider_name
from leaderboard.web.accounts.providers.again import sign_in_again, signed_in_recently
from leaderboard.web.accounts.providers.github import GitHubAdapter
from leaderboard.web.accounts.providers.openid_connect import OpenIDConnectAdapter
from leaderboard.web.shared.signed_in_request import SignedInRequest, sign_in_first

_LANGUAGE = "language"


def _provider(request: HttpRequest, provider_id: str) -> Any:
    for provider in get_adapter(request).list_providers(request):
        if provider.sub_id == provider_id:
            return provider
    raise Http404("no such provider")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def start(request: HttpRequest, provider_id: str = "github") -> HttpResponse:
    """Ask whether to sign in with a provider, and go there once that is confirmed."""
    provider = _provider(request, provider_id)
    is_linking = request.GET.get("process") == "connect"
    if request.method != "POST":
        context = {"provider": provider, "is_linking": is_linking}
        return render(request, "socialaccount/login.html", context)
    if is_linking and (sign_in_page := sign_in_again(request)):
        return sign_in_page
    refusal: HttpResponse | None = ratelimit.consume_or_429(request, app="allauth.account", action="provider")
    if refusal:
        return refusal
    answer: HttpResponse
    try:
        # In the state, since the address of the callback has one language.
        answer = provider.redirect(
            request,
            process="connect" if is_linking else "login",
            next_url=provider.get_redirect_from_request_kwargs(request).get("next_url"),
            language=translation.get_language(),
        )
    except ProviderException as error:
        answer = render_authentication_error(request, provider, exception=error)
    if not isinstance(answer, HttpResponseRedirect):
        return answer
    # A browser applies `form-action` of our policy to redirects of a form as well.
    context = {"provider": provider, "address": answer.url}
    return render(request, "socialaccount/leave.html", context)


class _CallbackView(OAuth2CallbackView):  # type: ignore[misc]  # allauth has no types
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().dispatch(request, *args, **kwargs)
        except (IntegrityError, ProviderException) as error:
            # Two windows that link the same account at once. Or the description of the provider cannot be
            # used, which allauth reads before it looks out for errors.
            return render_authentication_error(request, self.adapter.get_provider(), exception=error)

    def _get_state(self, request: HttpRequest, provider: Any) -> tuple[dict[str, Any] | None, Any]:
        state, answer = super()._get_state(request, provider)
        if state is not None:
            self.adapter.nonce = state.get("nonce", "")
            # Until the middleware of languages has the answer.
            translation.activate(state.get(_LANGUAGE, settings.LANGUAGE_CODE))
        return state, answer


@require_http_methods(["GET", "HEAD"])
@never_cache
def callback(request: HttpRequest, provider_id: str = "github") -> HttpResponse:
    """Take the answer of a provider."""
    _provider(request, provider_id)
    is_github = provider_id == "github"
    adapter = GitHubAdapter(request) if is_github else OpenIDConnectAdapter(request, provider_id)
    answer: HttpResponse = _CallbackView.adapter_view(adapter)(request)
    answer["Content-Language"] = translation.to_locale(translation.get_language()).replace("_", "-")
    return answer


@sign_in_first
@signed_in_recently
@never_cache
def set_password(request: SignedInRequest) -> HttpResponse:
    answer: HttpResponse = account_views.password_set(request)
    return answer


@never_cache
@in_one_transaction
def sign_up(request: HttpRequest) -> HttpResponse:
    try:
        answer: HttpResponse = views.signup(request)
    except SocialApp.DoesNotExist:
        # The provider was taken out of the settings meanwhile.
        return redirect("account_login")
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@sign_in_first
@signed_in_recently
@reauthentication_required  # type: ignore[untyped-decorator]
@never_cache
def linked(request: SignedInRequest) -> HttpResponse:
    """List the accounts elsewhere that sign in to this one; link and unlink them."""
    own = SocialAccount.objects.filter(user=request.user).order_by("date_joined")
    if request.method == "POST":
        account = get_object_or_404(own, pk=read_key(request.POST.get("account", "")))
        name = provider_name(account, request)
        try:
            validate_disconnect(request, account)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            with transaction.atomic():
                account.delete()
                get_adapter(request).send_notification_mail(
                    "socialaccount/email/account_disconnected", request.user, {"provider_name": name}
                )
            messages.success(request, _("%(provider)s is no longer linked.") % {"provider": name})
        return redirect("socialaccount_connections")
    rows = [(account, provider_name(account, request)) for account in own]
    return render(request, "socialaccount/connections.html", {"linked": rows})
