"""The columns of the table of a board: each is one object, from which all that names a column follows.

From `columns_of` follow the order of the columns, the keys by which tables are sorted, the heads and cells of
pages, and the tables in Markdown and LaTeX.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.boards.row import Row
from leaderboard.services.rows.conditions import CONDITIONS, SORTED_BY, Say, sender_words
from leaderboard.services.rows.means import print_figure
from leaderboard.services.text import join_names, join_with_and, percent
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Metric, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorting:
    """How a table is sorted by a column.

    field: of a row; "" for a metric. key: in addresses; that of the column, if empty
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
        page, and leaves it for a file. A page shows it unless rows.jinja has a branch for the column.
    description: its content in a sentence where the label does not suffice; that of intervals follows from
        the clusters of the benchmark
    file_label, short: its label in files, and where there is little room; the label, if empty
    sorting: None where nothing can be sorted by it. is_figure: whether it is aligned to the right
    is_in_files: whether tables in Markdown and LaTeX have it, too
    is_where_stated: whether a page has it only where a row does
    is_before_score: whether it stands between the system and its score
    css_class: of its head and its cells on pages; that of figures or none, if empty
    """

    key: str
    label: str
    text: Callable[[Row, Say], str]
    description: str = ""
    file_label: str = ""
    short: str = ""
    sorting: Sorting | None = None
    is_figure: bool = False
    is_in_files: bool = True
    is_where_stated: bool = False
    is_before_score: bool = False
    css_class: str = ""
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
    def is_folded(self) -> bool:
        """Whether a narrow page has its text in the line below the name."""
        return "about" in self.css_class

    @property
    def has_axis(self) -> bool:
        """Whether an axis of scores is drawn in its head."""
        return self.key == "interval"

    def describe(self, board: Board) -> str:
        """Return its content in a sentence, translated; "" where the label suffices."""
        if self.has_axis:
            clusters = registry.get(board.benchmark).clusters
            if not clusters:
                return _("The Wilson interval of the rate; sorted by its lower end.")
            return _(
                "95%% CI, by clusters of tasks where known (%(clusters)s); of rows as published, by a design "
                "effect measured elsewhere. Of a range, from the lower limit of its low end to the upper "
                "limit of its high end. Sorted by its lower end."
            ) % {"clusters": join_with_and([_(kind.singular) for kind in clusters])}
        return _(self.description) if self.description else ""

    @property
    def is_share(self) -> bool:
        """Whether its figures are percentages, written without the sign."""
        return self.key == "score" or (self.metric is not None and self.metric.unit == Unit.SHARE)


def _interval(row: Row, say: Say) -> str:
    low, high = row.standing.low, row.standing.high
    return "" if low is None else f"{percent(low)} to {percent(high)}"


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
        text=lambda row, say: {True: say("Open"), False: say("Closed"), None: ""}[row.standing.open_weights],
        sorting=Sorting(field="open_weights", has_gaps=True),
        is_before_score=True,
        css_class="extra",
    ),
    Column(
        key="interval",
        label=gettext_noop("95% CI"),
        file_label="95% interval",
        short="95% CI",
        text=_interval,
        sorting=Sorting(key="low", field="low", has_gaps=True),
        is_figure=True,
        css_class="ci",
    ),
)
_OF_SYSTEM = (
    Column(
        key="organisation",
        label=gettext_noop("Organisation"),
        text=lambda row, say: sender_words(row.standing, say),
        sorting=Sorting(field="organisation", is_text=True, has_gaps=True),
        is_in_files=False,
        is_where_stated=True,
        is_before_score=True,
        css_class="about",
    ),
    Column(
        key="model",
        label=gettext_noop("Model"),
        text=lambda row, say: join_names(row.models),
        is_in_files=False,
        is_before_score=True,
        css_class="about",
    ),
    Column(
        key="date",
        label=gettext_noop("Date"),
        text=lambda row, say: date_format(row.standing.since, "DATE_FORMAT"),
        sorting=Sorting(field="since"),
        is_figure=True,
        is_in_files=False,
        is_before_score=True,
        css_class="n about",
    ),
)


def _of_condition(key: str) -> Column:
    condition = CONDITIONS[key]
    return Column(
        key=key,
        label=condition.label,
        text=lambda row, say: condition.words(row.standing, say),
        description=condition.description,
        sorting=Sorting(field=SORTED_BY[key], has_gaps=True, is_best_lowest=condition.is_best_lowest),
        is_figure=True,
        is_in_files=False,
        is_where_stated=True,
        css_class="n extra",
    )


_OF_RUN = (
    replace(
        _of_condition("cost"),
        label=gettext_noop("Cost per task"),
        is_before_score=True,
        css_class="n about",
    ),
    _of_condition("time"),
)
# Key in addresses -> sorting, of all that is a field of a row. All others are metrics.
SORTINGS = {
    column.sort_key: column.sorting
    for column in (_SCORE, SYSTEM, *_OF_SCORE, *_OF_SYSTEM, *_OF_RUN)
    if column.sorting
}


def columns_of(board: Board) -> list[Column]:
    """Return the columns beside rank, system and score, in order, with visible figures only."""
    metrics = [metric for metric in visibility.visible_metrics(board)[1:] if metric.column]
    # The interval precedes the other columns, so that it is read beside its score.
    return [*_OF_SYSTEM, *_OF_SCORE, *map(_of_metric, metrics), *_OF_RUN]


def score_of(metric: Metric) -> Column:
    """Return the column of the metric that ranks a board."""
    return replace(_SCORE, label=metric.label, short=metric.short, description=metric.stands_for)


def _of_metric(metric: Metric) -> Column:
    def text(row: Row, say: Say) -> str:
        with translation.override("en"):  # as files are
            value, _note, share = row.mean(metric)
        if value is None:
            return ""
        return f"{print_figure(value, metric)} ({share})" if share else print_figure(value, metric)

    return Column(
        key=metric.key,
        label=metric.short,
        file_label=metric.label,
        short=metric.short,
        text=text,
        description=metric.stands_for,
        sorting=Sorting(has_gaps=True, is_best_lowest=not metric.higher_is_better),
        is_figure=True,
        is_where_stated=True,
        metric=metric,
    )


def sort_keys(board: Board) -> list[str]:
    """Return the keys by which the board can be sorted, with visible figures only."""
    # The first metric is the score itself.
    metrics = [metric.key for metric in visibility.visible_metrics(board)[1:]]
    return ["score", *metrics, *(key for key in SORTINGS if key != "score")]
