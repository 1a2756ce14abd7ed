"""The page of tokens: a person's own and those of teams; the one on which programs are approved."""

from allauth.core import ratelimit
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.http.addresses import client_address
from leaderboard.http.problems import INVALID, status_of
from leaderboard.models import ApiToken, Board, DeviceCode, Team
from leaderboard.services.accounts import create_token, revoke_token, tokens_of
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.teams import device_codes
from leaderboard.services.teams.members import rows_by_team, shared_memberships
from leaderboard.web.accounts.forms import DeviceCodeForm, TokenForm
from leaderboard.web.shared.of_team import errors_in, status_of_form
from leaderboard.web.shared.signed_in_request import SignedInRequest, action, form_page, posted, report


@form_page
def tokens(request: SignedInRequest) -> HttpResponse:
    memberships = shared_memberships(request.user)
    form, text = TokenForm(posted(request), memberships=memberships, asked=request.GET.get("team", "")), ""
    if form.is_valid():
        # No redirect: the token's text is shown once on this page, and never stored in a session.
        with errors_in(form):
            _, text = create_token(user=request.user, **form.cleaned_data)
            form = TokenForm(memberships=memberships)

    def list_tokens(team: Team | None) -> list[ApiToken]:
        return list(tokens_of(request.user, team).select_related("board", "user").order_by("-created"))

    context = {
        "form": form,
        "text": text,
        "groups": rows_by_team(memberships, list_tokens),
        "now": timezone.now(),
        "example": Board.objects.without_references().accepting_files().first() if text else None,
        "address": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "web/accounts/tokens.html", context, status=status_of_form(form))


@action
def revoke(request: SignedInRequest, token_key: str) -> HttpResponse:
    text = gettext("Revoked %(token)s…: requests with it are refused from now on.")
    with report(request, text % {"token": token_key}, (NotFound,)):
        revoke_token(user=request.user, token_key=token_key)
    return redirect("web:tokens")


@form_page
def device(request: SignedInRequest) -> HttpResponse:
    """Take the code of a program, show who asks, and approve or deny it."""
    fields = request.POST if request.method == "POST" else request.GET
    form = DeviceCodeForm(fields if "user_code" in fields else None)
    code, status = _find_program(request, form) if form.is_valid() else (None, 200)
    if request.method == "POST" and code and request.POST.get("answer") in ("approve", "deny"):
        is_approved = request.POST["answer"] == "approve"
        try:
            code = device_codes.answer(user_code=code.user_code, user=request.user, is_approved=is_approved)
        except (NotFound, WrongState) as error:
            form.add_error("user_code", error.detail)
            code, status = None, status_of(error)
        else:
            return _answered(request, code, is_approved=is_approved)
    context = {
        "form": form,
        "code": code,
        "is_same_address": code is not None and code.address == client_address(request),
        "days": device_codes.TOKEN_DAYS,
    }
    return render(request, "web/accounts/device.html", context, status=status)


def _find_program(request: SignedInRequest, form: DeviceCodeForm) -> tuple[DeviceCode | None, int]:
    """Return the program that waits for the typed code, and the HTTP status; add an error without one."""
    if ratelimit.consume_or_429(request, action="device_code", limit_get=True):
        form.add_error("user_code", gettext("Too many wrong codes. Try again in ten minutes."))
        return None, status_of("too-many-requests")
    code = device_codes.find_pending(form.cleaned_data["user_code"])
    if code is None:
        error = gettext(
            "No program waits with this code: it is mistyped, already used, or older than ten minutes."
        )
        form.add_error("user_code", error)
        return None, INVALID
    return code, 200


def _answered(request: SignedInRequest, code: DeviceCode, *, is_approved: bool) -> HttpResponse:
    """Say what the answer does. Once a program is approved it has to fetch its token, within seconds."""
    if not is_approved:
        messages.success(request, gettext("Denied: the program gets no token."))
        return redirect("web:device")
    text = gettext(
        "Approved. The program fetches its token within seconds; “%(name)s” is in the list below then."
    )
    messages.success(request, text % {"name": code.token_name})
    return redirect("web:tokens")
