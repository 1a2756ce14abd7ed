"""The list of submissions for organisers."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render

from leaderboard.http.problems import status_of
from leaderboard.models import Submission, Team
from leaderboard.models.boards import BoardQuerySet
from leaderboard.services import visibility
from leaderboard.services.desk.submissions import SubmissionState, select
from leaderboard.web.organise.access import boards_of, desk_page
from leaderboard.web.shared.signed_in_request import SignedInRequest

_PAGE = 50


class FilterForm(forms.Form):
    """Ask which submissions an organiser wants."""

    q = forms.CharField(label="Search", required=False, max_length=100)
    board: "forms.ModelChoiceField[Any]" = forms.ModelChoiceField(
        label="Leaderboard", queryset=None, required=False, empty_label="Any", to_field_name="slug"
    )
    team: "forms.ModelChoiceField[Any]" = forms.ModelChoiceField(
        label="Team", queryset=None, required=False, empty_label="Any"
    )
    state = forms.TypedChoiceField(
        label="State",
        required=False,
        choices=[("", "Any"), *SubmissionState.choices],
        coerce=SubmissionState,
        empty_value=None,
    )

    def __init__(self, *args: Any, boards: BoardQuerySet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = Team.objects.filter(submissions__board__in=boards.values("pk")).distinct()
        fields: Any = self.fields
        fields["board"].queryset, fields["team"].queryset = boards, teams.order_by("name", "pk")


@desk_page("GET")
def list_submissions(request: SignedInRequest) -> HttpResponse:
    boards = boards_of(request)
    form = FilterForm(request.GET, boards=boards)
    rows = Submission.objects.none()
    if form.is_valid():
        narrows = dict(form.cleaned_data)
        rows = select(boards, text=narrows.pop("q"), **narrows)
    page = Paginator(rows, _PAGE).get_page(request.GET.get("page"))
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
