"""The columns of a board's table: which there are, what they are called, and how a press on a head sorts."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.models import Benchmark
from leaderboard.services import visibility
from leaderboard.services.boards.query import Query, column_keys, default_columns
from scoring.benchmark import Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The head of a column. kind: the class of its cells in the style, where they have one. order: how it is
    sorted now, as aria-sort says it, or empty. ask: the query string that a press asks for; None where it
    cannot be sorted by. stands_for: what is in it, in a sentence. metric: whose figures it has, where they
    are a metric's. axis: an axis is drawn in its head."""

    key: str
    label: str
    stands_for: str = ""
    numeric: bool = False
    order: str = ""
    ask: str | None = None
    metric: Metric | None = None
    axis: bool = False

    @property
    def kind(self) -> str:
        return {"groups": "by-group", "date": "n date"}.get(self.key, "n" if self.numeric else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A column that can be shown or left out."""

    key: str
    label: str
    is_shown: bool


def columns(query: Query, *, has_groups: bool) -> list[Column]:
    """Return the columns of the table in order. has_groups: whether any row shows figures by group."""
    benchmark = query.board.benchmark
    shown = query.columns if query.columns is not None else default_columns(benchmark)
    keys = [key for key in column_keys(benchmark) if key in shown and (key != "groups" or has_groups)]
    heads = _heads(benchmark)
    # The interval belongs to the score, and is read beside it.
    return [_sortable(heads[key], query) for key in ("system", "score", *keys)]


def choices(query: Query) -> list[Choice]:
    """Return the columns that can be chosen, in order."""
    benchmark = query.board.benchmark
    shown = query.columns if query.columns is not None else default_columns(benchmark)
    heads = _heads(benchmark)
    return [Choice(key=key, label=heads[key].label, is_shown=key in shown) for key in column_keys(benchmark)]


def _heads(benchmark: Benchmark) -> dict[str, Column]:
    # What the columns of a board are depends on nothing else; they are asked for twice a page.
    key = (benchmark.family, benchmark.feedback, get_language())
    if key not in _KNOWN:
        _KNOWN[key] = {column.key: column for column in _every(benchmark)}
    return _KNOWN[key]


def _told(metric: Metric) -> str:
    return _(metric.stands_for) if metric.stands_for else ""


def _every(benchmark: Benchmark) -> Iterator[Column]:
    score, *metrics = visibility.visible_metrics(benchmark)
    yield Column(key="system", label=_("System"), ask="")
    yield Column(key="score", label=_(score.label), stands_for=_told(score), numeric=True, ask="")
    interval = _("95% interval")
    ends = _("The Wilson interval of the rate; sorted by its lower end.")
    yield Column(key="interval", label=interval, stands_for=ends, ask="", axis=True)
    against = _("Against the next")
    if visibility.by_group(benchmark):
        told = _("p of the exact McNemar test against the next row, after Holm's correction over the table.")
    else:
        told = _("Whether the exact McNemar test tells it from the next row, at .05.")
    yield Column(key="next", label=against, stands_for=told, numeric=True)
    yield Column(key="counts", label=_("Right of all"), numeric=True)
    for metric in metrics:
        label, told = _(metric.short), _told(metric)
        yield Column(key=metric.key, label=label, stands_for=told, numeric=True, ask="", metric=metric)
    for breakdown in visibility.visible_breakdowns(benchmark)[:1]:
        yield Column(key="groups", label=_(breakdown.label))
    yield Column(key="date", label=_("Date"), numeric=True, ask="")
    yield Column(key="organisation", label=_("Organisation"), ask="")
    yield Column(key="models", label=_("Models"), ask="")
    yield Column(key="judge", label=_("Judge"), ask="")


_KNOWN: dict[tuple[str, str, str | None], dict[str, Column]] = {}
# Whose first order is from the bottom, or from A.
_FROM_A = {"system", "organisation", "models", "judge"}
_SORT_KEYS = {"interval": "low"}


def _sortable(column: Column, query: Query) -> Column:
    if column.ask is None:
        return column
    key = _SORT_KEYS.get(column.key, column.key)
    from_the_top = key not in _FROM_A and (column.metric is None or column.metric.higher_is_better)
    is_sorted = query.sort == key
    descending = not query.descending if is_sorted else from_the_top
    order = ("descending" if query.descending else "ascending") if is_sorted else ""
    return Column(
        key=column.key,
        label=column.label,
        stands_for=column.stands_for,
        numeric=column.numeric,
        order=order,
        ask=query.as_query_string(sort=key, descending=descending, page=1),
        metric=column.metric,
        axis=column.axis,
    )
