"""Announcements on the page of a board."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from leaderboard.http.problems import INVALID
from leaderboard.models import Announcement, Board
from leaderboard.services.publishing.announcements import announce, end_announcement
from leaderboard.web.organise.access import desk_page
from leaderboard.web.organise.forms import AnnouncementForm
from leaderboard.web.shared.signed_in_request import SignedInRequest, posted


@desk_page("GET", "POST")
def announcements(request: SignedInRequest, board: Board) -> HttpResponse:
    """List the announcements of a board, and make one."""
    form = AnnouncementForm(posted(request))
    if form.is_valid():
        announce(board=board, by=request.user, **form.cleaned_data)
        messages.success(request, "The announcement is on the leaderboard.")
        return redirect("web:organise-announcements", slug=board.slug)
    rows = Announcement.objects.filter(board=board).select_related("announced_by")
    context = {
        "board": board,
        "form": form,
        "sends_email": settings.NOTIFIES,
        "shown": rows.filter(ended_at=None),
        "ended": rows.exclude(ended_at=None)[:20],
    }
    return render(request, "web/organise/announcements.html", context, status=INVALID if form.errors else 200)


@desk_page("POST")
def end(request: SignedInRequest, board: Board, pk: int) -> HttpResponse:
    """Take an announcement off the page of the board."""
    announcement = get_object_or_404(Announcement.objects.select_related("board"), board=board, pk=pk)
    end_announcement(announcement=announcement, by=request.user)
    messages.success(request, "The announcement is no longer shown.")
    return redirect("web:organise-announcements", slug=board.slug)
