"""The front page: each board with its leader and its finding, and the latest changes."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.services.boards import board as boards
from leaderboard.services.boards import summary as overview
from leaderboard.services.boards.summary import Summary, finding_of
from leaderboard.services.record.log import list_recent_changes
from leaderboard.web.boards.finding import Finding, describe_finding
from leaderboard.web.charts.figures import Picture, small_progress
from leaderboard.web.shared.caching import site_cached


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A board on the front page. course: the chart of its best score over time, None if there is none."""

    summary: Summary
    tasks: int | None
    finding: Finding | None
    course: Picture | None


@require_safe
@site_cached
def front(request: HttpRequest) -> HttpResponse:
    cards = [_card(summary) for summary in overview.summaries()]
    changes = list_recent_changes(boards=[card.summary.benchmark for card in cards])
    return render(request, "web/site/front.html", {"cards": cards, "latest": changes})


def _card(summary: Summary) -> Card:
    benchmark = summary.benchmark
    board = summary.board
    lead = finding_of(board, judge=board.compared_judge) if summary.leader else None
    return Card(
        summary=summary,
        tasks=boards.task_count(benchmark.active_revision_id) if benchmark.is_open else None,
        finding=describe_finding(lead, judges=len(board.census.judges)),
        course=small_progress(board),
    )
