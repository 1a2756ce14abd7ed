"""The columns of the table of a board: each is one object, from which all that names a column follows.

From `columns_of` follow the columns that readers can choose and their order, the keys by which tables are
sorted, the heads and cells of pages, and the tables in Markdown and LaTeX.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.boards.row import Row
from leaderboard.services.judging.names import english_judge_name
from leaderboard.services.rows.conditions import CONDITIONS, SORTED_BY, Condition, Say
from leaderboard.services.rows.means import may_lead
from leaderboard.services.statistics.p_values import format_p
from leaderboard.services.text import join_with_and, percent
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark, Metric, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorting:
    """How a table is sorted by a column.

    field: of a row; "" for a metric
    key: in addresses; that of the column, if empty
    is_text: whether it begins with A; figures begin with the best
    has_gaps: whether a row may lack the value, or have an empty text; such rows come last
    """

    field: str = ""
    key: str = ""
    is_text: bool = False
    has_gaps: bool = False
    is_best_lowest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of the table of a board. Its texts are English; pages translate them.

    text: returns the cell of a row; "" where there is nothing. Its second parameter translates a word for a
        page, and leaves it for a file. A page shows it unless cells.jinja has a macro for the column.
    describe: returns its content in a sentence, translated, where the label does not suffice
    file_label, short: its label in files, and where there is little room; the label, if empty
    sorting: None where nothing can be sorted by it
    is_figure: whether it is aligned to the right. is_wide: whether its texts may be long
    is_default: whether tables have it unless the reader chooses
    is_extra: whether wide screens have it, too, unless the reader chooses
    is_of: returns whether the boards of a benchmark have it
    css_class: of its head and its cells on pages; that of figures or none, if empty
    cell_class: of its cells alone
    metric: the metric that it shows, if any
    """

    key: str
    label: str
    text: Callable[[Row, Say], str]
    describe: Callable[[Board], str] = lambda board: ""
    file_label: str = ""
    short: str = ""
    sorting: Sorting | None = None
    is_figure: bool = False
    is_wide: bool = False
    is_default: bool = False
    is_extra: bool = False
    is_before_score: bool = False
    is_of: Callable[[Benchmark], bool] = lambda benchmark: True
    css_class: str = ""
    cell_class: str = "words"
    metric: Metric | None = None

    @property
    def sort_key(self) -> str:
        """The value of the parameter `sort`; "" where nothing can be sorted by the column."""
        return (self.sorting.key or self.key) if self.sorting else ""

    @property
    def classes(self) -> str:
        """The class of its head and its cells; "" for none."""
        return self.css_class or ("n" if self.is_figure else "")

    @property
    def has_axis(self) -> bool:
        """Whether an axis of scores is drawn in its head."""
        return self.key == "interval"

    @property
    def is_share(self) -> bool:
        """Whether its figures are percentages, written without the sign."""
        return self.key == "score" or (self.metric is not None and self.metric.unit == Unit.SHARE)


def _described(text: str) -> Callable[[Board], str]:
    return lambda board: _(text)


def _describe_interval(board: Board) -> str:
    clusters = registry.get(board.benchmark).clusters
    if not clusters:
        return _("The Wilson interval of the rate; sorted by its lower end.")
    return _(
        "95%% CI, clustered by %(clusters)s; of rows as published, by a design effect measured elsewhere. "
        "Sorted by its lower end."
    ) % {"clusters": join_with_and([_(kind.singular) for kind in clusters])}


def _describe_next(board: Board) -> str:
    if visibility.by_group(board):
        return _(
            "p-value of the test against the next compared system, Holm-adjusted over all pairs of the "
            "leaderboard."
        )
    return _("Whether it differs significantly from the next compared system, Holm-adjusted over all pairs.")


def _weights(row: Row, say: Say) -> str:
    is_open = row.standing.open_weights
    return "" if is_open is None else say("Open") if is_open else say("Closed")


def _interval(row: Row, say: Say) -> str:
    low, high = row.standing.low, row.standing.high
    return "" if low is None else f"{percent(low)} to {percent(high)}"


def _next(row: Row, say: Say) -> str:
    p = row.place.p_next
    if p is None:
        return ""
    return format_p(p) or ("significant" if p.is_significant else "not significant")


def _counts(row: Row, say: Say) -> str:
    right, total = row.standing.right, row.standing.total
    return "" if right is None or total is None else f"{right} of {total}"


def _provenance(row: Row, say: Say) -> str:
    return say(str(row.provenance.label)) if row.provenance else ""


SYSTEM = Column(
    key="system",
    label=gettext_noop("System"),
    text=lambda row, say: row.standing.name,
    sorting=Sorting(field="name", is_text=True),
)
_SCORE = Column(
    key="score",
    label="",  # the label is that of the ranked metric
    text=lambda row, say: row.score_words,
    sorting=Sorting(field="score"),
    is_figure=True,
    css_class="score",
)
_OF_SCORE = (
    Column(
        key="weights",
        label=gettext_noop("Weights"),
        text=_weights,
        sorting=Sorting(field="open_weights", has_gaps=True),
        is_default=True,
        is_before_score=True,
        css_class="weights",
    ),
    Column(
        key="interval",
        label=gettext_noop("95% CI"),
        file_label="95% interval",
        short="95% CI",
        text=_interval,
        describe=_describe_interval,
        sorting=Sorting(key="low", field="low", has_gaps=True),
        is_figure=True,
        is_default=True,
        css_class="ci",
    ),
    Column(
        key="next",
        label=gettext_noop("vs. next system"),
        short="Next",
        text=_next,
        describe=_describe_next,
        is_figure=True,
    ),
    Column(
        key="counts",
        label=gettext_noop("Correct / total"),
        short="Correct",
        text=_counts,
        is_figure=True,
    ),
    Column(
        key="runs",
        label=gettext_noop("Runs"),
        text=lambda row, say: str(row.stated_runs or ""),
        describe=_described(
            gettext_noop(
                "Of how many runs the score is the mean; of rows as published, as their source states it."
            )
        ),
        is_figure=True,
    ),
)
_GROUPS = Column(key="groups", label="", text=lambda row, say: "", css_class="by-group")
_OF_SYSTEM = (
    Column(
        key="date",
        label=gettext_noop("Date"),
        text=lambda row, say: row.standing.since.date().isoformat(),
        sorting=Sorting(field="since"),
        is_figure=True,
        is_extra=True,
        css_class="n extra date",
    ),
    Column(
        key="organisation",
        label=gettext_noop("Organisation"),
        text=lambda row, say: row.standing.organisation or row.standing.team_name,
        sorting=Sorting(field="organisation", is_text=True, has_gaps=True),
        is_extra=True,
        css_class="extra",
    ),
    Column(
        key="models",
        label=gettext_noop("Models"),
        text=lambda row, say: ", ".join(row.standing.model_names),
        sorting=Sorting(field="models_text", is_text=True, has_gaps=True),
    ),
    Column(
        key="judge",
        label=gettext_noop("Judge"),
        text=lambda row, say: english_judge_name(row.standing.judge),
        sorting=Sorting(field="judge", is_text=True, has_gaps=True),
        is_of=lambda benchmark: benchmark.needs_judge,
    ),
)


def _of_condition(key: str, condition: Condition) -> Column:
    field = SORTED_BY.get(key)
    sorting = Sorting(
        field=field or "",
        is_text=not condition.is_figure,
        has_gaps=True,
        is_best_lowest=condition.is_best_lowest,
    )
    return Column(
        key=key,
        label=condition.label,
        file_label=f"{condition.label} (stated)",
        short=condition.label,
        text=lambda row, say: condition.words(row.standing, say),
        describe=_described(condition.description),
        sorting=sorting if field else None,
        is_figure=condition.is_figure,
        is_extra=key == "cost",
        css_class="n extra" if key == "cost" else "",
        is_wide=not condition.is_figure,
    )


_OF_RUN = (
    *(_of_condition(key, condition) for key, condition in CONDITIONS.items()),
    Column(
        key="trace",
        label=gettext_noop("Trace"),
        short="Trace",
        text=lambda row, say: say(row.trace_label) if row.trace_label else "",
        describe=_described(
            gettext_noop(
                "How much the file holds of the conversations between the agent and the server: full, "
                "partial, writes only or none. It follows from the file alone."
            )
        ),
        is_of=lambda benchmark: benchmark.has_traces,
        cell_class="nowrap",
    ),
    Column(
        key="provenance",
        label=gettext_noop("Uploaded by"),
        short="Uploaded by",
        text=_provenance,
        describe=_described(
            gettext_noop(
                "Who sent the file: an account of the team, or a CI job whose repository, commit and run its "
                "CI system signed; attested, if it signed the digest of the file too."
            )
        ),
        cell_class="nowrap",
    ),
)
# Key in addresses -> sorting, of all that is a field of a row. All others are metrics.
SORTINGS = {
    column.sort_key: column.sorting
    for column in (_SCORE, SYSTEM, *_OF_SCORE, *_OF_SYSTEM, *_OF_RUN)
    if column.sorting
}


def columns_of(board: Board) -> list[Column]:
    """Return the columns that a reader can choose, in order, with visible figures only."""
    benchmark = registry.get(board.benchmark)
    groups = [
        replace(_GROUPS, label=breakdown.label) for breakdown in visibility.visible_breakdowns(board)[:1]
    ]
    metrics = map(_of_metric, visibility.visible_metrics(board)[1:])
    every = (*_OF_SCORE, *metrics, *groups, *_OF_SYSTEM, *_OF_RUN)
    return [column for column in every if column.is_of(benchmark)]


def score_of(metric: Metric) -> Column:
    """Return the column of the metric that ranks a board."""
    describe = _described(metric.stands_for) if metric.stands_for else _SCORE.describe
    return replace(_SCORE, label=metric.label, short=metric.short, describe=describe)


def _of_metric(metric: Metric) -> Column:
    def text(row: Row, say: Say) -> str:
        value = row.shown(metric)
        if value is None:
            return ""
        if metric.unit == Unit.SHARE and may_lead(metric, row.metrics):
            return percent(value)
        if metric.unit == Unit.SHARE:
            with translation.override("en"):  # as files are
                return f"{percent(value)} ({row.share_of_mean(metric)})"
        return f"{value:,.0f}" if metric.unit == Unit.COUNT else f"${value:,.4f}"

    return Column(
        key=metric.key,
        label=metric.short,
        file_label=metric.label,
        short=metric.short,
        text=text,
        describe=_described(metric.stands_for) if metric.stands_for else _SCORE.describe,
        sorting=Sorting(has_gaps=True, is_best_lowest=not metric.higher_is_better),
        is_figure=True,
        is_default=metric.column,
        metric=metric,
    )


def sort_keys(board: Board) -> list[str]:
    """Return the keys by which the board can be sorted, with visible figures only."""
    # The first metric is the score itself.
    metrics = [metric.key for metric in visibility.visible_metrics(board)[1:]]
    return ["score", *metrics, *(key for key in SORTINGS if key != "score")]
