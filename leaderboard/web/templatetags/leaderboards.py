"""The bar of tabs and menus that all pages of a leaderboard share."""

from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.models import Board
from leaderboard.services.boards.best_scores import best_score_history
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.charts.form import Form, View
from leaderboard.services.charts.views import available_views
from leaderboard.web.shared.as_of import as_of_context
from leaderboard.web.shared.urls import cite_table

register = template.Library()


@register.inclusion_tag("web/boards/partials/bar.html", takes_context=True)
def leaderboard_bar(context: Context) -> dict[str, Any]:
    """Render the bar. The context has `board`, and `query` and `view` where the page has these."""
    return {"tabs": _tabs(context), "menus": _menus(context)}


def _menus(context: Context) -> SafeString:
    """Render the menus; those of the whole table, once for each revision, order, day and address."""
    values = menus_context(context)
    request, query = values["request"], values["query"]

    def make() -> SafeString:
        return render_to_string("web/boards/partials/menus.html", values)

    if not query.is_common:
        return make()
    address = request.scheme, request.get_host(), query.as_query_string()
    parts = get_language(), values["today"], *address
    html: SafeString = query.board_at.remember(f"menus:{parts}", make)
    return html


@register.inclusion_tag("web/boards/partials/menus.html", takes_context=True)
def leaderboard_menus(context: Context) -> dict[str, Any]:
    """Render the menus of the bar alone, to replace those of a page whose table has changed."""
    return {**menus_context(context), "is_partial": True}


def menus_context(context: Context) -> dict[str, Any]:
    """Return the context of the menus "As of" and "Export, cite"."""
    request, board = context["request"], context["board"]
    query = context.get("query") or Query(board_at=BoardAt(board))
    return {
        "request": request,
        "board": board,
        "sends_email": settings.NOTIFIES,
        "query": query,
        "query_string": query.as_query_string(page=1),
        **as_of_context(query),
        **cite_table(request, query),
    }


def _tabs(context: Context) -> list[dict[str, Any]]:
    """Return the tabs. keeps_query: whether the page of one has the same filters, order and date."""
    board, path = context["board"], context["request"].path
    query: Query | None = context.get("query")
    kept = query.as_query_string(page=1) if query else ""
    current: View | None = context.get("view")
    table, own = reverse("web:board", args=[board.slug]), own_tabs(board)
    places = [(_("Table"), table, path == table)]
    for view in own:
        is_current = current is not None and (
            view.name == current.name or (view.form == Form.FOREST and current not in own)
        )
        label = _("Charts") if view.form == Form.FOREST else view.short
        places.append((label, reverse("web:view", args=[board.slug, view.name]), is_current))
    tabs: list[dict[str, Any]] = [
        {"label": label, "address": address + kept, "is_current": is_current, "keeps_query": True}
        for label, address, is_current in places
    ]
    for name, label in (("compare", _("Compare")), ("about", _("About")), ("changes", _("Log"))):
        address = reverse(f"web:{name}", args=[board.slug])
        # Of these the log alone has a past.
        past = query.cleared().as_query_string() if query and name == "changes" else ""
        tabs.append({"label": label, "address": address + past, "is_current": path == address})
    return tabs


def own_tabs(board: Board) -> list[View]:
    """Return the views with a tab: the first chart, the first by group of tasks, and over time if drawn."""
    first = {view.form: view for view in reversed(available_views(board))}
    if not best_score_history(Query(board_at=BoardAt(board))).is_long:
        del first[Form.PROGRESS]
    return [first[form] for form in (Form.FOREST, Form.GROUPS, Form.PROGRESS) if form in first]


@register.simple_tag
def other_charts(board: Board, current: View) -> list[View]:
    """Return the views of the tab "Charts" to choose from; none on a view that has a tab of its own."""
    apart = [view for view in own_tabs(board) if view.form != Form.FOREST]
    return [] if current in apart else [view for view in available_views(board) if view not in apart]
