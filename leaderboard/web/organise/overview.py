"""The first page of the desk: what needs the organiser now. And the page of each board."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from leaderboard.models import Board, Status, Submission
from leaderboard.services.desk import attention
from leaderboard.services.desk.submissions import mark_reviewed
from leaderboard.services.publishing.change_settings import join_models
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.web.organise.access import boards_of, desk_page
from leaderboard.web.organise.words import counted, tools_of
from leaderboard.web.shared.signed_in_request import SignedInRequest


@desk_page("GET")
def overview(request: SignedInRequest) -> HttpResponse:
    boards = boards_of(request)
    context = {"needs": attention.list_needs(boards), "organised": boards, "tab": "now"}
    return render(request, "web/organise/overview.html", context)


@desk_page("GET")
def board(request: SignedInRequest, board: Board) -> HttpResponse:
    """Show a board's settings, and what its organiser can do."""
    submissions = Submission.objects.filter(board=board)
    context = {
        "board": board,
        "tools": tools_of(board),
        "scored": submissions.filter(status=Status.SCORED).count(),
        "published": submissions.published().count(),
        "needs": attention.list_needs(boards_of(request).filter(pk=board.pk)),
        "organisers": board.organisers.select_related("user").order_by("user__email"),
    }
    return render(request, "web/organise/board.html", context)


@desk_page("GET", "POST")
def models(request: SignedInRequest, board: Board) -> HttpResponse:
    """List what rows state, each with the name of its model or a proposal; save the names."""
    if request.method == "POST":
        posted = {key: str(name) for key, name in request.POST.items() if key.startswith("model:")}
        names = {key.removeprefix("model:"): name for key, name in posted.items()}
        number = join_models(board=board, names=names, by=request.user)
        messages.success(request, f"{counted(number, 'name')} saved.")
        return redirect("web:organise-models", slug=board.slug)
    known = RecordedBoard(board).model_names
    names = {**known.names, **known.proposals}
    lines = sorted((text not in known.proposals, name, text) for text, name in names.items())
    # Django takes at most 1,000 fields.
    return render(request, "web/organise/models.html", {"board": board, "lines": lines[:900]})


@desk_page("GET", "POST")
def similar(request: SignedInRequest, board: Board) -> HttpResponse:
    """Show the groups of similar files; mark the sent ones as reviewed."""
    groups = attention.similar_files(board)
    members = {one.pk: one for group in groups for one in group.submissions}
    reviewed = attention.reviewed_among(members)
    if request.method == "POST":
        for submission in members.values():
            if str(submission.pk) in request.POST.getlist("submission") and submission.pk not in reviewed:
                mark_reviewed(submission=submission, by=request.user)
        messages.success(request, "Marked as reviewed.")
        return redirect("web:organise-similar", slug=board.slug)
    context = {
        "board": board,
        "groups": [(group, not reviewed.issuperset(one.pk for one in group.submissions)) for group in groups],
        "reviewed": reviewed,
    }
    return render(request, "web/organise/similar.html", context)
