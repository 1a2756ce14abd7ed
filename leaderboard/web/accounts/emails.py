"""The page on which people choose their emails, and the links in emails that switch them off."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from leaderboard.http.problems import status_of
from leaderboard.models import Board, User
from leaderboard.services.notifications import choices
from leaderboard.services.notifications.words import LABELS
from leaderboard.web.shared.signed_in_request import SignedInRequest, form_page, posted


class EmailsForm(forms.Form):
    """A box for each kind of email that a person can get."""

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind in choices.kinds_for(user):
            wanted = choices.wants(user, kind)
            self.fields[kind.value] = forms.BooleanField(label=LABELS[kind], required=False, initial=wanted)


@form_page
def emails(request: SignedInRequest) -> HttpResponse:
    form = EmailsForm(posted(request), user=request.user)
    if form.is_valid():
        choices.choose(request.user, form.cleaned_data)
        messages.success(request, _("Your choices are saved."))
        return redirect("web:emails")
    return _page(request, form)


@form_page
def watch(request: SignedInRequest, slug: str) -> HttpResponse:
    """Ask whether to watch a leaderboard, and begin or stop by a POST."""
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    if request.method != "POST":
        return _page(request, EmailsForm(user=request.user), asked=board)
    if "stop" in request.POST:
        choices.stop_watching(request.user, board)
        messages.success(request, _("You no longer watch this leaderboard."))
    else:
        choices.watch(request.user, board)
        messages.success(request, _("You watch this leaderboard."))
    return redirect("web:emails")


def _page(request: SignedInRequest, form: EmailsForm, asked: Board | None = None) -> HttpResponse:
    """Return the page. asked: a leaderboard that the person may want to watch"""
    watched = [(board, True) for board in choices.watched_boards(request.user)]
    is_asked = asked is not None and (asked, True) not in watched
    context = {
        "form": form,
        "watches": [(asked, False), *watched] if is_asked else watched,
        "is_sent": settings.NOTIFIES,
        "is_verified": request.user.has_verified_email,
    }
    return render(request, "web/accounts/emails.html", context)


# Mail programs send the POST of RFC 8058 without a cookie. The signed link alone says what is switched off.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def switch_off(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether to switch off the emails that a link names, and switch them off by a POST."""
    found = choices.read_token(token)
    context: dict[str, object] = {"is_known": found is not None, "is_off": request.method == "POST"}
    if found is not None:
        user, kind = found
        context["label"] = LABELS[kind]
        if request.method == "POST":
            choices.choose(user, {kind: False})
    status = 200 if found else status_of("not-found")
    return render(request, "web/accounts/emails_off.html", context, status=status)
