"""The About page of a benchmark, and the log of its board."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark
from leaderboard.services import visibility
from leaderboard.services.boards import summary
from leaderboard.services.boards.board import task_count
from leaderboard.services.record.as_of import state_of
from leaderboard.services.record.log import changelog
from leaderboard.services.statistics import bootstrap, entrants
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.templatetags.languages import day, translated
from scoring import registry


@require_safe
@board_cached
def about(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    family, judge = registry.get(benchmark.family), summary.judge_of_today(benchmark=benchmark)
    context = {
        "benchmark": benchmark,
        "family": family,
        "ranked": visibility.ranked_metric(benchmark),
        "metrics": visibility.visible_metrics(benchmark),
        "tasks": task_count(benchmark.active_revision_id) if benchmark.is_open else None,
        "keeps_back": not visibility.by_group(benchmark),
        "strata": next((b for b in family.breakdowns if b.key == family.strata), None),
        "judge": judge,
        "agreement": family.agreement(judge),
        "constants": _constants(benchmark),
        **_citation(request, benchmark),
    }
    return render(request, "web/boards/about.html", context)


def _constants(benchmark: Benchmark) -> dict[str, Any]:
    """Return the constants of the board's statistics."""
    return {
        "resamples": bootstrap.RESAMPLES,
        "most_systems": entrants.MOST,
        "seed": bootstrap.seed_of(benchmark.ground_truth) if benchmark.is_open else None,
    }


def _citation(request: HttpRequest, benchmark: Benchmark) -> dict[str, str]:
    """Return the citation of the current board, and the address in it."""
    state = state_of(benchmark)
    address = reverse("web:board", args=[benchmark.slug])
    if state.number:
        address += f"?as_of={state.number}"
    address = request.build_absolute_uri(address)
    template = _("Wardboard. %(title)s: board as of %(date)s (event %(number)s). %(address)s")
    return {
        "citation": template
        % {
            "title": translated(benchmark.title),
            "date": day(state.changed_at),
            "number": state.number,
            "address": address,
        },
        "cited_url": address,
    }


@require_safe
@board_cached
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    log = changelog(benchmark=benchmark, page=request.GET.get("page", "1")[:10])
    context = {
        "benchmark": benchmark,
        "log": log,
        "pages": log.page.paginator.get_elided_page_range(log.page.number, on_each_side=2),
    }
    return render(request, "web/boards/log.html", context)
