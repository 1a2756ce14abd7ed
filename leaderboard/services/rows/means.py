"""Over how many tasks a mean is, in words: a benchmark may leave tasks out of one (`Metric.over_key`)."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.services.rows.conditions import print_dollars
from leaderboard.services.text import join_names, percent
from wardboard.scoring.benchmark import Metric, Unit
from wardboard.scoring.statistics.rates import decimal

# A mean over a smaller share of the tasks is listed after the others.
FEWEST_OF_MEAN = 0.5
# Shares leave the service with three decimals, which give the count of so many tasks exactly.
_MOST_COUNTED = 500

Metrics = Mapping[str, float | None]


class Mean(NamedTuple):
    """A mean as tables show it.

    value: None where there is none, or where it rests on nothing that the system did
    note: what a reader of it must know, translated: "over 11 of 60 tasks"; "" where it is over all. Where no
        value is shown, the note says why, and what the official figure is.
    share: over how many tasks a shown value is, in short: "11 of 60"
    """

    value: float | None
    note: str = ""
    share: str = ""


def may_lead(metric: Metric, metrics: Metrics) -> bool:
    """Return whether a figure is shown, and is over so many tasks that it may lead a column or a chart."""
    share = metrics.get(metric.over_key)
    return metric.shown(metrics) is not None and (share is None or share >= FEWEST_OF_MEAN)


def mean_of(metric: Metric, metrics: Metrics, tasks: int | None, official: float | None) -> Mean:
    """Return a mean as tables show it.

    metrics: that are shown. tasks: the number of all; None where it is not known. official: the figure as it
        is stored.
    """
    value, share = metrics.get(metric.key), metrics.get(metric.over_key)
    if share is None or not tasks:
        return Mean(value)
    short = _share(share, tasks) if 0 < share < 1 else ""
    over = _("over %(share)s tasks") % {"share": short} if short else ""
    if value is not None or official is None or not metric.needs_note:
        return Mean(value, over, short if value is not None else "")
    printed = join_names(filter(None, (print_figure(official, metric), over)))
    figure = _("official figure: %(figure)s") % {"figure": printed}
    return Mean(None, join_names([_(metric.needs_note), figure]))


def print_figure(value: float | None, metric: Metric) -> str:
    """Format a figure in the unit of its metric: 98.3%, 12,345, 3.62 or $0.0123; None as an en dash."""
    if value is None or metric.unit == Unit.SHARE:
        return percent(value)
    return decimal(value) if metric.unit == Unit.COUNT else print_dollars(value)


def counted(share: float, tasks: int) -> int | None:
    """Return how many tasks a share of three decimals is; None where it does not say exactly."""
    return round(share * tasks) if tasks <= _MOST_COUNTED else None


def _share(share: float, tasks: int) -> str:
    number = counted(share, tasks)
    if number is None:
        return _("%(share)s of %(total)s") % {"share": percent(share), "total": f"{tasks:,}"}
    return _("%(right)s of %(total)s") % {"right": number, "total": tasks}
