"""The log of a board: a page of its changes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark
from leaderboard.services.record.checkpoint import head_of
from leaderboard.services.record.log import changelog
from leaderboard.web.shared.caching import board_cached


@require_safe
@board_cached
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    log = changelog(benchmark=benchmark, page=request.GET.get("page", "1")[:10])
    context = {"benchmark": benchmark, "log": log, "head": head_of(benchmark)}
    return render(request, "web/boards/log.html", context)
