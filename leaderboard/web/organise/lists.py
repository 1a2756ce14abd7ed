"""The list of submissions for organisers, and its export."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.http.problems import status_of
from leaderboard.models import Team
from leaderboard.models.boards import BoardQuerySet
from leaderboard.services import visibility
from leaderboard.services.desk.submissions import SubmissionState, Wanted, as_csv, select
from leaderboard.web.organise.access import boards_of, desk_page
from leaderboard.web.organise.forms import DayField, SearchForm
from leaderboard.web.organise.words import STATES
from leaderboard.web.shared.signed_in_request import SignedInRequest

_PAGE = 50


class FilterForm(SearchForm):
    """Which submissions an organiser wants."""

    team: "forms.ModelChoiceField[Any]" = forms.ModelChoiceField(
        label=gettext_lazy("Team"), queryset=None, required=False
    )
    state = forms.TypedChoiceField(
        label=pgettext_lazy("of submissions", "State"),
        required=False,
        choices=[("", gettext_lazy("Any")), *((state.value, STATES[state]) for state in SubmissionState)],
        coerce=SubmissionState,
        empty_value=None,
    )
    since = DayField(label=gettext_lazy("Received from"))
    until = DayField(label=gettext_lazy("Received until"))

    def __init__(self, *args: Any, boards: BoardQuerySet, **kwargs: Any) -> None:
        super().__init__(*args, boards=boards, **kwargs)
        teams = Team.objects.filter(submissions__board__in=boards.values("pk")).distinct()
        team: Any = self.fields["team"]
        team.queryset, team.empty_label = teams.order_by("name", "pk"), _("Any")


@desk_page("GET")
def list_submissions(request: SignedInRequest) -> HttpResponse:
    boards = boards_of(request)
    form = FilterForm(request.GET, boards=boards)
    rows = select(boards, Wanted(**form.wanted()) if form.is_valid() else Wanted())
    page = Paginator(rows if form.is_valid() else rows.none(), _PAGE).get_page(request.GET.get("page"))
    for submission in page.object_list:
        # For the template, which shows rows as they are.
        submission.result = visibility.visible_result(submission, to_organiser=True)  # type: ignore[attr-defined]
    context = {
        "form": form,
        "page": page,
        "is_filtered": any(request.GET.get(name) for name in form.fields),
        "tab": "submissions",
    }
    return render(
        request,
        "web/organise/submissions.html",
        context,
        status=200 if form.is_valid() else status_of("parameter-invalid"),
    )


@desk_page("GET")
def export(request: SignedInRequest) -> HttpResponseBase:
    """Serve the filtered submissions as CSV; refuse an invalid filter with the page that says why."""
    boards = boards_of(request)
    form = FilterForm(request.GET, boards=boards)
    if not form.is_valid():
        return list_submissions(request)
    response = StreamingHttpResponse(
        as_csv(select(boards, Wanted(**form.wanted()))), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = 'attachment; filename="submissions.csv"'
    return response
