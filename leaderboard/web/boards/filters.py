"""The select boxes above a table or chart, and the chips beside them."""

from collections.abc import Iterable, Sequence
from functools import cache

from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.models import Interaction, Reasoning, Retrieval
from leaderboard.services.boards.choices import (
    HARNESSES,
    PROVENANCES,
    RUNS,
    SOURCES,
    STATED,
    TRACES,
    WEIGHTS,
    FilterChoices,
)
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.sections import Chip, chips
from leaderboard.services.judging.names import judge_name
from leaderboard.web.shared.jinja import render_jinja
from scoring import registry


def labelled_chips(query: Query) -> list[tuple[str, Chip]]:
    """Return the chips with their labels."""
    labels = {
        "": _("All"),
        "source": _("Verified"),
        "weights": _("Open weights"),
        "interaction": _("Multi-turn"),
    }
    return [(labels[chip.name], chip) for chip in chips(query)]


def chosen_filters(query: Query) -> list[tuple[str, str]]:
    """Return a text, and the query string without it, of each filter that is set and has no chip."""
    with_chip = {(chip.name, chip.value) for chip in chips(query)}
    offered = _always_offered(get_language())
    names = {"organisation": _("Organisation"), "model": _("Model"), "judge": _("Judge")}
    chosen = []
    for name, value in query.filters.items():
        if name == "q" or (name, value) in with_chip:
            continue
        label, values = offered[name] if name in offered else (names[name], [])
        shown = dict(values).get(value) or (judge_name(value) if name == "judge" else value)
        text = _("%(name)s: %(value)s") % {"name": label, "value": shown}
        chosen.append((text, query.with_filter(name, "").as_query_string()))
    return chosen


def filters(
    query: Query,
    judges: Iterable[str],
    known: FilterChoices | Sequence[str],
    *,
    one_judge: bool = False,
) -> list[dict[str, object]]:
    """Return the select boxes above the table, with their options.

    Organisation, model and judge are offered where there are several. one_judge: whether the page always
    shows the rows of one judge, so that "any" is no choice
    """
    any_value = [("", _("Any"))]
    offered = dict(_always_offered(get_language()))
    if not registry.get(query.board.benchmark.family).has_traces:
        del offered["trace"]
    names = known if isinstance(known, FilterChoices) else FilterChoices(models=list(known), organisations=[])
    for name, label, listed in (
        ("organisation", _("Organisation"), names.organisations),
        ("model", _("Model"), names.models),
        ("judge", _("Judge"), judges),
    ):
        chosen = getattr(query, name)
        # Rare names are not listed, but one in the address has to be.
        values = dict.fromkeys(value for value in (*listed, chosen) if value)
        if len(values) > 1 or chosen:
            first = [] if name == "judge" and one_judge else any_value
            labels = map(judge_name, values) if name == "judge" else values
            offered[name] = (label, [*first, *zip(values, labels, strict=True)])
    return [
        {
            "name": name,
            "label": label,
            "options": _options(choices, getattr(query, name)),
        }
        for name, (label, choices) in offered.items()
    ]


def _options(choices: Iterable[tuple[str, str]], chosen: str) -> SafeString:
    """Render the options of a select box; by Jinja2, since a page has about a hundred."""
    return render_jinja("web/boards/options.jinja", {"choices": choices, "chosen": chosen})


@cache
def _always_offered(language: str | None) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Return the select boxes of every board. language: the active one, as the key of the cache."""
    any_value = [("", _("Any"))]
    return {
        "source": (_("Scores"), _translated(SOURCES.items())),
        "interaction": (_("Interaction"), any_value + _translated(Interaction.choices)),
        "retrieval": (_("Retrieval"), any_value + _translated(Retrieval.choices)),
        "reasoning": (_("Reasoning"), any_value + _translated(Reasoning.choices)),
        "weights": (_("Weights"), _translated(WEIGHTS.items())),
        "harness": (_("Harness"), _translated(HARNESSES.items())),
        "memory": (_("Memory of tasks"), _translated(STATED.items())),
        "trained": (_("Trained on benchmark"), _translated(STATED.items())),
        "trace": (_("Trace in the file"), _translated(TRACES.items())),
        "runs": (_("Runs"), _translated(RUNS.items())),
        "provenance": (_("Provenance level"), _translated(PROVENANCES.items())),
    }


def _translated(choices: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(value, _(str(label))) for value, label in choices]
