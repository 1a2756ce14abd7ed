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
from leaderboard.services.rows.conditions import side_by_side
from leaderboard.services.statistics.compare import (
    MOST_COMPARED,
    Comparison,
    NotComparable,
    NotOnBoard,
    TooMany,
    compare_systems,
)
from leaderboard.services.statistics.pair_words import answers_of, headline_of
from leaderboard.services.text import fold_case, read_key
from leaderboard.web.boards.pair_lines import PairLines
from leaderboard.web.boards.pairs import hidden_of, method_of, note_of, report_pairs
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.templatetags.languages import translated

_OFFERED = 12
_MOST_READ = 8  # parameters of a request beyond this are ignored


@require_safe
@board_cached
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    systems = read_systems(request)
    text = "".join(c for c in request.GET.get("q", "") if c.isprintable()).strip()[:100]
    context: dict[str, Any] = {"board": board, "text": text, "most": MOST_COMPARED}
    status = 200
    try:
        comparison = compare_systems(board=board, systems=systems)
        context |= _results(board, comparison)
        chosen = [side.standing for side in comparison.sides]
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


def read_systems(request: HttpRequest) -> list[int]:
    """Return the distinct primary keys of systems in a request; anything else is ignored."""
    values = request.GET.getlist("system")[: 8 * _MOST_READ]
    keys = dict.fromkeys(filter(None, map(read_key, values)))
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


def _results(board: Board, comparison: Comparison) -> dict[str, Any]:
    rows = [side.standing for side in comparison.sides]
    method = method_of(comparison)
    answers = answers_of(comparison)
    reports = report_pairs(comparison, method)
    differing, same = _conditions(rows)
    judges = {row.judge for row in rows}
    return {
        "sides": comparison.sides,
        "headline": headline_of(comparison),
        "answers": answers if len(answers) > 1 else [],
        "note": note_of(comparison),
        "hidden": hidden_of(comparison),
        "reports": reports,
        "overall": PairLines(lines=[report.lines.lines[0] for report in reports if report.lines]),
        "needed": [report.needed for report in reports if report.needed],
        "has_numbers": any(report.text for report in reports),
        "differing": differing,
        "same": same,
        "score": visibility.ranked_metric(board),
        "names_judge": len(judges) > 1 or any(judges),
    }


def _conditions(rows: Sequence[Standing]) -> tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]]:
    """Return the stated conditions of the runs side by side: those that differ, and the others."""
    lines = side_by_side(rows, translated)
    return [line for line in lines if len(set(line[1])) > 1], [
        line for line in lines if len(set(line[1])) == 1
    ]
