"""The audit log: who did what, with a search and an export."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.http.problems import status_of
from leaderboard.http.readers import reader_of
from leaderboard.models import AuditEvent, Board
from leaderboard.services.desk.audit_log import WantedEvents, events_as_csv, select_events
from leaderboard.web.organise.access import boards_of, desk_page
from leaderboard.web.organise.forms import DayField, SearchForm
from leaderboard.web.organise.words import ACTIONS
from leaderboard.web.shared.signed_in_request import SignedInRequest
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring.facts import BY_FIELD

_PAGE = 100
_FIELDS = {field.name: field for field in Board._meta.concrete_fields}
# Of the data of an event what a line of the page shows; the export has all.
_SHOWN = ("reason", "why", "revision", "person", "answer", "name", "fields")


class EventForm(SearchForm):
    """Which events an organiser wants."""

    action = forms.ChoiceField(
        label=gettext_lazy("Event"),
        required=False,
        choices=[
            ("", gettext_lazy("Any")),
            *((action.value, ACTIONS[action]) for action in AuditEvent.Action),
        ],
    )
    since = DayField(label=gettext_lazy("From"))
    until = DayField(label=gettext_lazy("Until"))


@desk_page("GET")
def audit_log(request: SignedInRequest) -> HttpResponse:
    boards = boards_of(request)
    form = EventForm(request.GET, boards=boards)
    is_valid = form.is_valid()
    rows = select_events(reader_of(request), WantedEvents(**form.wanted()) if is_valid else WantedEvents())
    page = Paginator(rows if is_valid else rows.none(), _PAGE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "page": page,
        "lines": [
            (event, ACTIONS[AuditEvent.Action(event.action)], _details(event)) for event in page.object_list
        ],
        "is_filtered": any(request.GET.get(name) for name in form.fields),
        "tab": "audit",
    }
    return render(
        request,
        "web/organise/audit.html",
        context,
        status=200 if is_valid else status_of("parameter-invalid"),
    )


def _details(event: AuditEvent) -> list[str]:
    """Return what the data of an event say, as texts; changed settings as `name: was → now`."""
    texts = []
    for name in _SHOWN:
        value = event.data.get(name)
        if name == "fields" and isinstance(value, dict):
            texts += [_change(field, change) for field, change in value.items()]
        elif name == "revision" and value:
            texts.append(_("revision %(number)s") % {"number": value})
        elif value:
            texts.append(str(value))
    return texts


def _change(name: str, change: dict[str, Any]) -> str:
    """Say what a setting or a fact was changed from and to, by the labels that forms have."""
    field = _FIELDS.get(name)
    label = translated(BY_FIELD[name].label) if name in BY_FIELD else name
    if field is not None:
        label = _("Feedback level") if name == "feedback" else translated(capfirst(str(field.verbose_name)))
    if change.keys() != {"was", "now"}:
        return f"{label}: " + ", ".join(f"{part} {value}" for part, value in change.items())
    choices = {True: _("yes"), False: _("no"), None: "–", "": "–", **dict(getattr(field, "flatchoices", ()))}
    texts = [
        translated(str(choices.get(value, value))) if isinstance(value, str | bool | None) else str(value)
        for value in (change["was"], change["now"])
    ]
    return f"{label}: {' → '.join(texts)}"


@desk_page("GET")
def export(request: SignedInRequest) -> HttpResponseBase:
    """Serve the filtered events as CSV; refuse an invalid filter with the page that says why."""
    boards = boards_of(request)
    form = EventForm(request.GET, boards=boards)
    if not form.is_valid():
        return audit_log(request)
    rows = select_events(reader_of(request), WantedEvents(**form.wanted()))
    response = StreamingHttpResponse(events_as_csv(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="audit.csv"'
    return response
