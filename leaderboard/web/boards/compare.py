"""Comparing systems of a board: choosing two to four of them, and what the data say of each pair."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark, Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.statistics import compare as comparing
from leaderboard.services.text import fold_case
from leaderboard.web.boards.pairs import LETTERS, Lettered, told_pair, told_untested
from leaderboard.web.shared.caching import board_cached
from scoring import registry

_OFFERED = 12
_ASKED_FOR = 8  # no more of a request are looked at
_LARGEST_KEY = 2**63 - 1


@require_safe
@board_cached
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    asked = _systems(request.GET.getlist("system"))
    text = "".join(c for c in request.GET.get("q", "") if c.isprintable()).strip()[:100]
    context: dict[str, Any] = {"benchmark": benchmark, "text": text, "most": comparing.MOST}
    status = 200
    try:
        context |= _compared(benchmark, comparing.compare(benchmark=benchmark, systems=asked))
        chosen = [side.row for side in context["sides"]]
    except comparing.NotComparable as error:
        chosen = _rows(benchmark, asked)
        if isinstance(error, comparing.TooMany):
            status, context["refusal"] = 400, _too_many(asked)
        elif isinstance(error, comparing.NotOnBoard) or (asked and not chosen):
            status, context["refusal"] = 404, _not_here()
        elif len(chosen) == 1:
            context["hint"] = _("You chose one system. Choose one more to compare it with.")
    context |= {"chosen": chosen, "offered": _offered(benchmark, text, chosen)}
    return render(request, "web/boards/compare.html", context, status=status)


def _not_here() -> str:
    return _(
        "Not all of these systems are on this board. One may have been withdrawn, or the address is mistyped."
    )


def _too_many(asked: Sequence[int]) -> str:
    return _("At most %(most)s systems can be compared at once; you chose %(n)s. Take away some of them.") % {
        "most": comparing.MOST,
        "n": len(asked),
    }


def _systems(said: Sequence[str]) -> list[int]:
    """Return the primary keys in `said`, each once; what is none counts as not given."""
    keys = [int(one) for one in said[: 8 * _ASKED_FOR] if one.isascii() and one.isdecimal() and len(one) < 20]
    return list(dict.fromkeys(key for key in keys if 0 < key <= _LARGEST_KEY))[:_ASKED_FOR]


def _comparable(benchmark: Benchmark) -> StandingQuerySet[Standing]:
    rows = Standing.objects.filter(benchmark=benchmark).defer(
        "metrics", "breakdowns", "group_metrics", "search"
    )
    return rows.best_first()


def _rows(benchmark: Benchmark, systems: Sequence[int]) -> list[Standing]:
    found = {row.system_id: row for row in _comparable(benchmark).filter(system__in=systems)}
    return [found[key] for key in systems if key in found]


def _offered(benchmark: Benchmark, text: str, chosen: Sequence[Standing]) -> list[Standing]:
    """Return systems to choose from: those that `text` finds, or the first of the board."""
    rows = _comparable(benchmark).filter(kind=Kind.RESCORED)
    if words := fold_case(text):
        rows = rows.filter(search__contains=words)
    return list(rows.exclude(pk__in=[row.pk for row in chosen])[:_OFFERED])


def _compared(benchmark: Benchmark, found: comparing.Comparison) -> dict[str, Any]:
    sides = {
        side.system_id: Lettered(letter=letter, row=side.standing, why_not=side.why_not)
        for letter, side in zip(LETTERS, found.sides, strict=False)
    }
    breakdowns = {one.key: one for one in visibility.visible_breakdowns(benchmark)}
    metrics = {one.key: one for one in registry.get(benchmark.family).metrics}
    judges = {side.row.judge for side in sides.values()}
    return {
        "comparison": found,
        "sides": list(sides.values()),
        "axis": axis_of([side.row for side in sides.values()]),
        "pairs": [
            told_pair(
                pair,
                sides[pair.a],
                sides[pair.b],
                number=len(found.pairs),
                breakdowns=breakdowns,
                metrics=metrics,
            )
            for pair in found.pairs
        ],
        "untested": [told_untested(one, sides[one.a], sides[one.b]) for one in found.untested],
        "score": visibility.ranked_metric(benchmark),
        "names_judge": len(judges) > 1 or any(judges),
        "by_group": visibility.by_group(benchmark),
    }
