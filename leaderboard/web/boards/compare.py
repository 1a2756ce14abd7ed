"""The page that compares two to four systems of a board."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.http.problems import status_of
from leaderboard.models import Board, Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.rows.conditions import differ_in_harness, side_by_side
from leaderboard.services.statistics.compare import (
    MOST_COMPARED,
    Comparison,
    NotComparable,
    NotOnBoard,
    TooMany,
    compare_systems,
)
from leaderboard.services.text import fold_case, read_key
from leaderboard.web.boards.pairs import LETTERS, PairSide, describe_pair, explain_untested, method_of
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring import registry

_OFFERED = 12
_MOST_READ = 8  # parameters of a request beyond this are ignored


@require_safe
@board_cached
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    systems = _read_systems(request.GET.getlist("system"))
    text = "".join(c for c in request.GET.get("q", "") if c.isprintable()).strip()[:100]
    context: dict[str, Any] = {"board": board, "text": text, "most": MOST_COMPARED}
    status = 200
    try:
        context |= _results(board, compare_systems(board=board, systems=systems))
        chosen = [side.row for side in context["sides"]]
    except NotComparable as error:
        chosen = _rows(board, systems)
        if isinstance(error, TooMany):
            status, context["refusal"] = status_of("parameter-invalid"), _too_many(systems)
        elif isinstance(error, NotOnBoard) or (systems and not chosen):
            status, context["refusal"] = status_of("not-found"), _not_on_board()
        elif len(chosen) == 1:
            context["hint"] = _("You chose one system. Choose one more to compare it with.")
    context |= {"chosen": chosen, "offered": _offered(board, text, chosen)}
    return render(request, "web/boards/compare.html", context, status=status)


def _not_on_board() -> str:
    return _(
        "Not all of these systems are on this leaderboard. One may have been withdrawn, or the "
        "URL is mistyped."
    )


def _too_many(systems: Sequence[int]) -> str:
    return _("At most %(most)s systems can be compared at once; you chose %(n)s. Remove some of them.") % {
        "most": MOST_COMPARED,
        "n": len(systems),
    }


def _read_systems(values: Sequence[str]) -> list[int]:
    """Return the distinct primary keys among `values`; anything else is ignored."""
    keys = dict.fromkeys(filter(None, map(read_key, values[: 8 * _MOST_READ])))
    return list(keys)[:_MOST_READ]


def _comparable(board: Board) -> StandingQuerySet[Standing]:
    rows = Standing.objects.filter(board=board).defer("metrics", "breakdowns", "group_metrics", "search")
    return rows.best_first()


def _rows(board: Board, systems: Sequence[int]) -> list[Standing]:
    by_system = {row.system_id: row for row in _comparable(board).filter(system__in=systems)}
    return [by_system[key] for key in systems if key in by_system]


def _offered(board: Board, text: str, chosen: Sequence[Standing]) -> list[Standing]:
    """Return rows to choose from: those that match `text`, or the first of the board."""
    rows = _comparable(board).filter(kind=Kind.RESCORED)
    if term := fold_case(text):
        rows = rows.filter(search__contains=term)
    return list(rows.exclude(pk__in=[row.pk for row in chosen])[:_OFFERED])


def _results(board: Board, compared: Comparison) -> dict[str, Any]:
    score = visibility.ranked_metric(board)
    sides = {
        side.system_id: PairSide(letter=letter, row=side.standing, metric=score, why_not=side.why_not)
        for letter, side in zip(LETTERS, compared.sides, strict=False)
    }
    breakdowns = {breakdown.key: breakdown for breakdown in visibility.visible_breakdowns(board)}
    metrics = {metric.key: metric for metric in registry.get(board.benchmark).metrics}
    rows = [side.row for side in sides.values()]
    judges = {row.judge for row in rows}
    method = method_of(
        registry.get(board.benchmark),
        is_clustered=any(pair.is_clustered for pair in compared.pairs),
        has_runs=any(row.evaluation is not None and row.evaluation.runs > 1 for row in rows),
    )
    return {
        "comparison": compared,
        "sides": list(sides.values()),
        "axis": axis_of(rows),
        "conditions": side_by_side(rows, translated),
        "differ_in_harness": differ_in_harness(rows),
        "lacks_harness": not all(row.harness for row in rows),
        "pairs": [
            describe_pair(
                pair,
                sides[pair.a],
                sides[pair.b],
                method=method,
                breakdowns=breakdowns,
                metrics=metrics,
            )
            for pair in compared.pairs
        ],
        "untested": [explain_untested(pair, sides[pair.a], sides[pair.b]) for pair in compared.untested],
        "score": score,
        "names_judge": len(judges) > 1 or any(judges),
        "by_group": visibility.by_group(board),
    }
