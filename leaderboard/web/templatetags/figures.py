"""Formats of figures."""

import re
from collections.abc import Mapping
from typing import TypeVar

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from markupsafe import Markup

from leaderboard.models import Board, Evaluation, ProvenanceLevel
from leaderboard.models.evaluations import StandingFigures
from leaderboard.services.boards.ranks import print_rank
from leaderboard.services.charts.figures import approach_words, harness_words, model_of
from leaderboard.services.charts.form import inner
from leaderboard.services.judging.intervals import clusters_by
from leaderboard.services.rows.conditions import print_dollars
from leaderboard.services.rows.means import print_figure
from leaderboard.services.text import file_size, join_with_and, mean_right, percent, percent_range, points
from leaderboard.services.visibility import GroupMean, rate_words
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Metric
from wardboard.scoring.reading.limits import MOST_PROBLEMS

register = template.Library()
Value = TypeVar("Value")
register.filter(approach_words)
register.filter(harness_words)
register.filter(model_of)
register.filter(inner)
register.filter(percent)
register.filter(percent_range)
register.filter(print_dollars)
register.filter(print_rank)
register.filter(points)
register.filter(rate_words)
register.filter("figure", print_figure)
# In place of Django's, which writes 32.0 MB.
register.filter("filesizeformat", file_size)


@register.filter
def group_figure(mean: GroupMean | None, metric: Metric) -> str:
    """Format the mean of a group in the unit of its metric, or say that it is left out."""
    if mean is not None and mean.is_withheld:
        return _("too few tasks")
    return print_figure(mean.value if mean else None, metric)


@register.filter
def problem_total(total: int) -> str:
    """Format the number of problems of a file, which is not read on after 1,000."""
    return _("more than %(most)s") % {"most": f"{MOST_PROBLEMS:,}"} if total > MOST_PROBLEMS else f"{total:,}"


@register.filter
def breakable(label: str) -> str:
    """Let a label break after a slash, since its longest word sets the width of a column."""
    return label.replace("/", "/\u200b")


@register.filter
def format_words(name: str, benchmark: str) -> str:
    """Describe a format as the benchmark does: "a JSON array" for `json-array`; an unknown one as it is."""
    label = registry.get(benchmark).formats.get(name)
    return _(label) if label else name


@register.filter
def provenance_level(value: str) -> ProvenanceLevel:
    """Return the level that a submission stores, with its label and its explanation."""
    return ProvenanceLevel(value)


@register.filter
def interval_note(result: Evaluation | StandingFigures, board: Board) -> str:
    """Say for what the interval of a result allows; "" for Wilson's. result: as `clusters_by` takes it."""
    clusters, published = clusters_by(result, board)
    if published is not None:
        return _("95%% CI that allows for shared %(clusters)s, with the design effect of %(evidence)s.") % {
            "clusters": join_with_and([_(kind.label) for kind in clusters]),
            "evidence": _(published.evidence),
        }
    names = join_with_and([_(kind.singular) for kind in clusters])
    return _("95%% CI, clustered by %(clusters)s.") % {"clusters": names} if names else ""


@register.simple_tag
def low_to_high(low: str | int, high: str | int) -> str:
    """Write an interval in words: 81.2% to 89.9%; an en dash where it is not known."""
    return "–" if low == high else _("%(low)s to %(high)s") % {"low": low, "high": high}


@register.simple_tag
def right_of(right: int, total: int, runs: int = 1) -> str:
    """Write how many tasks are correct, of several runs their mean: 1,412 of 2,931; 4.7 of 5."""
    return _("%(right)s of %(total)s") % {"right": mean_right(right, runs), "total": intcomma(total // runs)}


@register.filter
def item(mapping: Mapping[str, Value] | None, key: str) -> Value | None:
    """Return `mapping[key]` or None; Django's dot would take the key for a literal."""
    return mapping.get(key) if mapping else None


@register.filter
def sentence_case(text: str) -> str:
    """Begin a message with a capital, unless its first word is one of the file, such as an id."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text


@register.filter
def ticked(text: str) -> Markup:
    """Set `name` in a message as code, and escape everything else, since it may quote the file."""
    parts = enumerate(re.split(r"`([^`]{1,80})`", text))
    return Markup("").join(Markup("<code>{}</code>").format(part) if n % 2 else part for n, part in parts)
