"""The page on which people choose their emails, and the links in emails that switch them off."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from leaderboard.http.problems import status_of
from leaderboard.models import User
from leaderboard.services.access import Reader
from leaderboard.services.notifications import choices
from leaderboard.services.notifications.choices import EVERY_BOARD, FOR_ORGANISERS, FOR_TEAMS
from leaderboard.services.notifications.words import LABELS
from leaderboard.web.shared.signed_in_request import SignedInRequest, form_page


class EmailsForm(forms.Form):
    """A box for each kind of email that a person can get."""

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels = {kind.value: LABELS[kind] for kind in choices.kinds_for(user)}
        if Reader(user=user).organises_all:
            labels[EVERY_BOARD] = gettext_lazy("Also about leaderboards that others organise")
        for name, label in labels.items():
            wanted = choices.wants(user, name)
            self.fields[name] = forms.BooleanField(label=label, required=False, initial=wanted)

    @property
    def sections(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The legend of each group of boxes, and the boxes."""
        groups = [
            (_("About your team"), FOR_TEAMS),
            (_("About the leaderboards that you organise"), (*FOR_ORGANISERS, EVERY_BOARD)),
        ]
        groups_of_fields = [
            (legend, [self[name] for name in names if name in self.fields]) for legend, names in groups
        ]
        return [(legend, boxes) for legend, boxes in groups_of_fields if boxes]


@form_page
def emails(request: SignedInRequest) -> HttpResponse:
    form = EmailsForm(request.POST if request.method == "POST" else None, user=request.user)
    if form.is_valid():
        choices.choose(request.user, form.cleaned_data)
        messages.success(request, _("Your choices are saved."))
        return redirect("web:emails")
    context = {
        "form": form,
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
    token_content = choices.read_token(token)
    is_off = token_content is not None and request.method == "POST"
    if token_content is not None and is_off:
        user, kinds = token_content
        choices.choose(user, dict.fromkeys(kinds, False))
    labels = [LABELS[kind] for kind in token_content[1] if kind in LABELS] if token_content else []
    context = {"labels": labels, "is_off": is_off, "is_known": token_content is not None}
    return render(
        request,
        "web/accounts/emails_off.html",
        context,
        status=200 if token_content else status_of("not-found"),
    )
