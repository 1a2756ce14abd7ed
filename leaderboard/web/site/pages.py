"""The pages about the whole site, and the boards in the navigation of every page."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.http.readers import reader_of
from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.access import may_manage_all, may_use_admin
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import first_rows, tasks_of
from leaderboard.services.boards.summary import summary_of
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.text import tasks_words
from leaderboard.web.boards.summary import describe_finding
from leaderboard.web.docs.library import guide_of
from leaderboard.web.shared.caching import site_cached
from leaderboard.web.submissions.waiting import samples_of


@require_safe
@site_cached
def front(request: HttpRequest) -> HttpResponse:
    """Show each board that is open or has rows, with its finding and its first rows; fold the others away.

    Demonstrations are shown only where there is no such board, and unranked lanes only where nothing else is;
    the sample of each demonstration is there to be tried.
    """
    cards = [_card(BoardAt(board)) for board in Board.objects.without_references().installed()]
    filled = [card for card in cards if card["board"].is_open or card["systems"]]
    ranked = [card for card in filled if not card["board"].is_unranked]
    shown = [card for card in ranked if not card["board"].is_demo] or ranked or filled
    context = {
        "samples": samples_of(card["board"] for card in cards),
        "cards": shown,
        "folded": [card["board"] for card in cards if card not in shown],
        "guides": {card["guide"]: card["board"] for card in reversed(shown or cards) if card["guide"]},
    }
    return render(request, "web/site/front.html", context)


def _card(board_at: BoardAt) -> dict[str, Any]:
    """Return what the front page shows of a board.

    systems: the number of its rows without baselines. rows: the first of them
    is_reported: whether these were all published elsewhere, so that none has a rank
    axis: the ends of the axis of the intervals of its first rows, in 0..1
    guide: the slug of the document on submitting to it; "" without one
    """
    board = board_at.board
    rows = first_rows(board_at, count=5)
    lead = summary_of(Query(board_at=board_at)) if rows else None
    guide = guide_of(board.benchmark)
    return {
        "board": board,
        "metric": visibility.ranked_metric(board),
        "systems": board_at.census.systems,
        "tasks": tasks_words(tasks_of(board_at)),
        "finding": describe_finding(lead),
        "is_reported": bool(rows) and all(row.is_reported for row in rows),
        "rows": rows,
        "axis": axis_of([row.standing for row in rows]),
        "guide": guide.slug if guide else "",
    }


@require_safe
@site_cached
def about_site(request: HttpRequest) -> HttpResponse:
    """Show the page about the site, with its privacy notice."""
    return render(request, "web/site/about.html", {"days": settings.SESSION_COOKIE_AGE // 86_400})


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    """Show a text of the organiser (terms, privacy, citation), or else what the About page says about it."""
    text = settings.SITE[name]["text"]
    if not text and name == "terms":
        raise Http404
    if not text:
        return redirect(f"{reverse('web:about-site')}#{name}")
    titles = {"terms": _("Terms of use"), "privacy": _("Privacy"), "citation": _("How to cite")}
    return render(request, "web/site/document.html", {"title": titles[name], "text": text})


def navigation(request: HttpRequest) -> dict[str, object]:
    """Return the context of header and footer: boards, demonstrations last, texts of the site, and rights."""
    # A queryset is evaluated only by pages with the navigation.
    boards = Board.objects.installed().order_by("is_demo", "position", "slug").only("slug", "title")
    return {
        "boards": boards[:8],
        "site": settings.SITE,
        # Asked by the pages that lead there alone.
        "has_desk": lambda: reader_of(request).is_organiser,
        "may_manage_all": lambda: may_manage_all(reader_of(request)),
        "may_use_admin": lambda: may_use_admin(reader_of(request)),
    }
