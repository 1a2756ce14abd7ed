"""The select boxes above a table or chart, and those that are set."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from leaderboard.services.boards.query import Query
from leaderboard.services.judging.names import judge_name
from leaderboard.services.rows.filters import FILTER_BY_KEY, FILTERS, Filter
from leaderboard.web.shared.jinja import render_jinja


def chosen_filters(query: Query, *, with_search: bool = False) -> list[tuple[str, str]]:
    """Return a text, and the query string without it, of each filter that is set; of the search if asked."""
    chosen = [(FILTER_BY_KEY[key], value) for key, value in query.filters.items()]
    return [
        (
            _("%(name)s: %(value)s") % {"name": _(each.label or "Search"), "value": _label_of(each, value)},
            query.with_filters(**{each.key: ""}).as_query_string(),
        )
        for each, value in chosen
        if with_search or not each.is_search
    ]


def filters(
    query: Query, names: Mapping[str, Sequence[str]], *, one_judge: bool = False
) -> list[dict[str, object]]:
    """Return the select boxes above the table, with their options.

    one_judge: whether the page always shows the rows of one judge, so that "any" is no choice
    """
    boxes: list[dict[str, object]] = []
    for each in FILTERS:
        chosen = query.filters.get(each.key, "")
        # Rare names are not listed, but one in the address has to be.
        values = each.values or dict.fromkeys(filter(None, (*names.get(each.key, ()), chosen)))
        if not each.is_search and (len(values) > 1 or chosen):
            options = [(value, _label_of(each, value)) for value in values]
            if not (each.key == "judge" and one_judge):
                options = [("", _("Any")), *options]
            # By Jinja2, since a page has about a hundred.
            html = render_jinja("web/boards/options.jinja", {"choices": options, "chosen": chosen})
            boxes.append({"name": each.key, "label": _(each.label), "options": html})
    return boxes


def _label_of(chosen: Filter, value: str) -> str:
    if value in chosen.values:
        return _(chosen.values[value])
    return judge_name(value) if chosen.key == "judge" else value
