"""The pages about the whole site, and the boards in the navigation of every page."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark
from leaderboard.services.boards.board import task_count
from leaderboard.services.boards.summary import Summary, finding_of, summaries
from leaderboard.services.record.log import list_recent_changes
from leaderboard.web.boards.finding import Finding, describe_finding
from leaderboard.web.charts.figures import Picture, small_progress
from leaderboard.web.shared.caching import site_cached

_IN_NAVIGATION = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A board on the front page. progress: the chart of its best score over time, if it has one."""

    summary: Summary
    tasks: int | None
    finding: Finding | None
    progress: Picture | None


@require_safe
@site_cached
def front(request: HttpRequest) -> HttpResponse:
    """Show each board with its leader and its finding, and the latest changes."""
    cards = [_card(summary) for summary in summaries()]
    changes = list_recent_changes(boards=[card.summary.benchmark for card in cards])
    return render(request, "web/site/front.html", {"cards": cards, "latest": changes})


def _card(summary: Summary) -> Card:
    benchmark = summary.benchmark
    board = summary.board
    lead = finding_of(board, judge=board.compared_judge) if summary.leader else None
    return Card(
        summary=summary,
        tasks=task_count(benchmark.active_revision_id) if benchmark.is_open else None,
        finding=describe_finding(lead, judges=len(board.census.judges)),
        progress=small_progress(board),
    )


@require_safe
@site_cached
def about_site(request: HttpRequest) -> HttpResponse:
    """Show the page about the site, with its privacy notice."""
    return render(request, "web/site/about.html", {"days": settings.SESSION_COOKIE_AGE // 86_400})


def navigation(request: HttpRequest) -> dict[str, object]:
    """Return the context of the navigation: the first few boards, and demonstrations last."""
    # A queryset is evaluated only by pages with the navigation.
    benchmarks = Benchmark.objects.order_by("is_demo", "position", "slug").only("slug", "title")
    return {"boards": benchmarks[: _IN_NAVIGATION + 1], "boards_shown": _IN_NAVIGATION}
