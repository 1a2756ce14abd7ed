"""The columns of a board's table: their names, their order, and the link that sorts by each."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.models import Benchmark
from leaderboard.services import visibility
from leaderboard.services.boards.conditions import CONDITIONS, SORTED_BY, Condition
from leaderboard.services.boards.query import TEXT_COLUMNS, Query, column_keys, default_columns
from leaderboard.services.text import join_with_and
from scoring import registry
from scoring.benchmark import Metric, Unit

_CLASSES = {
    "groups": "by-group",
    "date": "n date",
    "score": "score",
    "weights": "weights",
    "interval": "ci",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The head of a column.

    description: its content in a sentence; "" where the label suffices
    order: the current order as a value of aria-sort; "" where the table is sorted by another column
    sort_query: the query string of the link that sorts by it; None where nothing can be sorted by it
    metric: the metric that it shows, if any
    condition: the condition of a run that it shows, if any
    axis: whether an axis is drawn in its head
    """

    key: str
    label: str
    description: str = ""
    numeric: bool = False
    order: str = ""
    sort_query: str | None = None
    metric: Metric | None = None
    condition: Condition | None = None
    axis: bool = False

    @property
    def css_class(self) -> str:
        """The class of its cells; "" for none."""
        return _CLASSES.get(self.key, "n" if self.numeric else "")

    @property
    def is_share(self) -> bool:
        """Whether its figures are percentages, written without the sign."""
        return self.key == "score" or (self.metric is not None and self.metric.unit == Unit.SHARE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A column that readers can show or hide. label: says, too, where no row has a value in it."""

    key: str
    label: str
    is_visible: bool


def columns(query: Query, *, has_groups: bool, empty: Collection[str] = ()) -> list[Column]:
    """Return the visible columns in order.

    has_groups: whether any row has figures by group
    empty: keys of metrics that no row has; left out unless the reader chose them or sorts by them
    """
    benchmark = query.board.benchmark
    if query.columns is not None:
        visible = query.columns
    else:
        visible = tuple(key for key in default_columns(benchmark) if key not in empty or key == query.sort)
    keys = [key for key in column_keys(benchmark) if key in visible and (key != "groups" or has_groups)]
    heads = _heads(benchmark)
    weights, others = [key for key in keys if key == "weights"], [key for key in keys if key != "weights"]
    # Of the others the interval is first, so that it is read beside its score.
    return [_sortable(heads[key], query) for key in ("system", *weights, "score", *others)]


def choices(query: Query, *, empty: Collection[str] = ()) -> list[Choice]:
    """Return the columns that readers can choose, in order. empty: as for `columns`."""
    benchmark = query.board.benchmark
    visible = query.columns if query.columns is not None else default_columns(benchmark)
    heads = _heads(benchmark)
    labels = {
        key: _("%(label)s (no values here)") % {"label": head.label} if key in empty else head.label
        for key, head in heads.items()
    }
    return [Choice(key=key, label=labels[key], is_visible=key in visible) for key in column_keys(benchmark)]


def _heads(benchmark: Benchmark) -> dict[str, Column]:
    # They depend on nothing else, and a page needs them twice.
    key = (benchmark.family, benchmark.feedback, get_language())
    if key not in _HEADS:
        _HEADS[key] = {column.key: column for column in _make_heads(benchmark)}
    return _HEADS[key]


def _description(metric: Metric) -> str:
    return _(metric.stands_for) if metric.stands_for else ""


def _make_heads(benchmark: Benchmark) -> Iterator[Column]:
    score, *metrics = visibility.visible_metrics(benchmark)
    yield Column(key="system", label=_("System"), sort_query="")
    yield Column(
        key="score", label=_(score.label), description=_description(score), numeric=True, sort_query=""
    )
    yield Column(key="weights", label=_("Weights"), sort_query="")
    interval = _("95% CI")
    rule = _("The Wilson interval of the rate; sorted by its lower end.")
    if clusters := registry.get(benchmark.family).clusters:
        rule = _(
            "95%% CI, clustered by %(clusters)s; of rows as published, the Wilson interval. Sorted by its "
            "lower end."
        ) % {"clusters": join_with_and([_(kind.singular) for kind in clusters])}
    yield Column(key="interval", label=interval, description=rule, sort_query="", axis=True)
    against = _("vs. next system")
    if visibility.by_group(benchmark):
        comparison = _(
            "p-value of the test against the next compared system, Holm-adjusted over all pairs of the "
            "leaderboard."
        )
    else:
        comparison = _(
            "Whether it differs significantly from the next compared system, Holm-adjusted over all pairs."
        )
    yield Column(key="next", label=against, description=comparison, numeric=True)
    yield Column(key="counts", label=_("Correct / total"), numeric=True)
    yield Column(
        key="runs",
        label=_("Runs"),
        description=_("Of how many runs the score is the mean; of rows as published it is not known."),
        numeric=True,
    )
    for metric in metrics:
        label, meaning = _(metric.short), _description(metric)
        yield Column(
            key=metric.key, label=label, description=meaning, numeric=True, sort_query="", metric=metric
        )
    for breakdown in visibility.visible_breakdowns(benchmark)[:1]:
        yield Column(key="groups", label=_(breakdown.label))
    yield Column(key="date", label=_("Date"), numeric=True, sort_query="")
    yield Column(key="organisation", label=_("Organisation"), sort_query="")
    yield Column(key="models", label=_("Models"), sort_query="")
    yield Column(key="judge", label=_("Judge"), sort_query="")
    for key, condition in CONDITIONS.items():
        yield Column(
            key=key,
            label=_(condition.label),
            description=_(condition.description),
            numeric=condition.is_figure,
            sort_query="" if key in SORTED_BY else None,
            condition=condition,
        )
    meaning = _(
        "How much the file holds of the conversations between the agent and the server: whole, in part, "
        "POSTs only or none. It follows from the file alone."
    )
    yield Column(key="trace", label=_("Trace"), description=meaning)
    meaning = _(
        "Who sent the file: an account of the team, or a CI job whose repository, commit and run its CI "
        "system signed; attested, if it signed the digest of the file too."
    )
    yield Column(key="provenance", label=_("Provenance level"), description=meaning)


_HEADS: dict[tuple[str, str, str | None], dict[str, Column]] = {}
_FROM_LEAST = {"cost", "time"}
_SORT_KEYS = {"interval": "low"}


def _sortable(column: Column, query: Query) -> Column:
    if column.sort_query is None:
        return column
    key = _SORT_KEYS.get(column.key, column.key)
    best_is_highest = key not in {*TEXT_COLUMNS, *_FROM_LEAST} and (
        column.metric is None or column.metric.higher_is_better
    )
    is_sorted = query.sort == key
    descending = not query.descending if is_sorted else best_is_highest
    order = ("descending" if query.descending else "ascending") if is_sorted else ""
    return Column(
        key=column.key,
        label=column.label,
        description=column.description,
        numeric=column.numeric,
        order=order,
        sort_query=query.as_query_string(sort=key, descending=descending, page=1),
        metric=column.metric,
        condition=column.condition,
        axis=column.axis,
    )
