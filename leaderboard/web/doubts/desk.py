"""The desk's page of doubtful reference answers: reports by task, and setting tasks aside."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render

from leaderboard.http.problems import INVALID
from leaderboard.models import Board
from leaderboard.services.doubts import reports
from leaderboard.services.doubts.set_aside import stage_set_aside
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.disqualify import MAX_REASON
from leaderboard.web.organise.access import desk_page
from leaderboard.web.organise.forms import ReasonForm
from leaderboard.web.organise.words import counted
from leaderboard.web.shared.of_team import errors_in
from leaderboard.web.shared.signed_in_request import SignedInRequest, posted

_PAGE = 50
_HELP = (
    f"Public on the page about the leaderboard, up to {MAX_REASON} characters. Name no person, and do not "
    "state the answer. Teams that reported these tasks get it as your answer."
)


class _AsideForm(ReasonForm):
    """Ask which tasks to set aside, beside those that are ticked, and why."""

    field_order = ("others", "reason")
    others = forms.CharField(
        label="Ids of other tasks",
        help_text="Separated by spaces or line breaks.",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
    )

    def clean_others(self) -> str:
        others: str = self.cleaned_data["others"]
        if not others and "tasks" not in self.data:
            raise forms.ValidationError("Choose at least one task.")
        return others


@desk_page("GET", "POST")
def doubtful(request: SignedInRequest, board: Board) -> HttpResponse:
    """List the reports and the tasks set aside; decide on them."""
    form: forms.Form = _AsideForm(posted(request), help_text=_HELP)
    if "decline" in request.POST:
        form = ReasonForm(request.POST, auto_id="decline_%s")
    elif "put-back" in request.POST:
        form = forms.Form(request.POST)
    if form.is_valid():
        with errors_in(form):
            return _act(request, board)
    aside = board.ground_truth.set_aside if board.is_open else []
    context = {
        "board": board,
        "page": Paginator(reports.doubted_tasks(board), _PAGE).get_page(request.GET.get("page")),
        "set_aside": aside,
        "aside_ids": [task["task"] for task in aside],
        "chosen": request.POST.getlist("tasks"),
        "form": form,
        "aside_form": form if isinstance(form, _AsideForm) else _AsideForm(help_text=_HELP),
        "declining": request.POST.get("decline"),
        "longest_reason": MAX_REASON,
    }
    return render(request, "web/doubts/desk.html", context, status=INVALID if form.errors else 200)


def _act(request: SignedInRequest, board: Board) -> HttpResponse:
    """Decline the reports of a task, or preview the revision that sets tasks aside or puts them back."""
    reason = request.POST.get("reason", "")
    if "decline" in request.POST:
        declined = reports.decline(
            board=board, task_id=request.POST["decline"], by=request.user, reason=reason
        )
        if declined:
            verb = "is" if declined == 1 else "are"
            messages.success(request, f"{counted(declined, 'report')} {verb} declined.")
        else:
            messages.info(request, "There was no open report of this task any more.")
        return redirect("web:organise-doubts", slug=board.slug)
    tasks = dict.fromkeys([*request.POST.getlist("tasks"), *request.POST.get("others", "").split()])
    if not board.is_open or not tasks:
        raise WrongState("Choose at least one task.")
    present = {task["task"]: task["reason"] for task in board.ground_truth.set_aside}
    if "put-back" in request.POST:
        if not present.keys() & tasks.keys():
            raise WrongState("None of these tasks is set aside.")
        wanted = {task: why for task, why in present.items() if task not in tasks}
    else:
        wanted = {**dict.fromkeys(tasks, reason), **present}
    revision = stage_set_aside(board=board, tasks=wanted, by=request.user)
    if revision.pk == board.active_revision_id:
        messages.info(request, "These tasks are set aside already; nothing was changed.")
        return redirect("web:organise-doubts", slug=board.slug)
    return redirect("web:organise-revision", slug=board.slug, number=revision.number)
