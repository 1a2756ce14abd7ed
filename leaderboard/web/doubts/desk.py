"""The desk's page of doubtful reference answers: reports by task, and setting tasks aside."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render

from leaderboard.http.problems import INVALID
from leaderboard.models import Board
from leaderboard.services.doubts import reports
from leaderboard.services.doubts.set_aside import stage_set_aside
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.disqualify import MAX_REASON, ReasonRefused
from leaderboard.web.organise.access import desk_page
from leaderboard.web.organise.words import counted
from leaderboard.web.shared.signed_in_request import SignedInRequest

_PAGE = 50


@desk_page("GET", "POST")
def doubtful(request: SignedInRequest, board: Board) -> HttpResponse:
    """List the reports and the tasks set aside; decide on them."""
    if request.method == "POST":
        try:
            return _act(request, board)
        except (ReasonRefused, WrongState) as error:
            # The page keeps what was typed.
            messages.error(request, error.detail)
    aside = board.ground_truth.set_aside if board.is_open else []
    context = {
        "board": board,
        "page": Paginator(reports.doubted_tasks(board), _PAGE).get_page(request.GET.get("page")),
        "set_aside": aside,
        "aside_ids": [task["task"] for task in aside],
        "chosen": request.POST.getlist("tasks"),
        "others": request.POST.get("others", ""),
        "declining": request.POST.get("decline"),
        "reason": request.POST.get("reason", ""),
        "longest_reason": MAX_REASON,
    }
    return render(
        request, "web/doubts/desk.html", context, status=INVALID if request.method == "POST" else 200
    )


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
