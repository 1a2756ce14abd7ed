"""One page of a board: all that pages, embedded tables and the API show of it, each part read once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from django.core.paginator import Page
from django.db.models import Count, Q, QuerySet

from leaderboard.models import Announcement, Board, Kind, Standing
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.census import Census
from leaderboard.services.boards.columns import SYSTEM, Column, columns_of, score_of
from leaderboard.services.boards.query import Query, filter_rows, order_rows
from leaderboard.services.boards.read_rows import (
    MOST_AT_ONCE,
    PAGE_SIZE,
    describe_ranks,
    page_of_keys,
    rows_by_key,
    tasks_of,
)
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.sections import (
    Group,
    RowSection,
    count_by_part,
    count_groups,
    main_group,
    other_groups,
    read_sections,
    rows_in_order,
)
from leaderboard.services.boards.summary import Summary, summary_of
from leaderboard.services.judging.judge import current_identity
from leaderboard.services.rows.conditions import CONDITIONS
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark, Metric, Unit


@dataclass(frozen=True, kw_only=True)
class BoardPage:
    """A page of a board.

    rows: of the main table. page: their primary keys, with its number and that of all pages
    system_count: the number of systems that match the query, on all pages, without baselines
    group: what the rows of the main table have in common; None where it has all rows
    kinds: those of all rows of the main table. sections: rows apart from the main table
    """

    query: Query
    rows: list[Row]
    page: Page[int]
    system_count: int
    group: Group | None = None
    kinds: Collection[str] = ()
    sections: Sequence[RowSection] = ()

    @property
    def board_at(self) -> BoardAt:
        return self.query.board_at

    @property
    def board(self) -> Board:
        return self.query.board_at.board

    @property
    def census(self) -> Census:
        return self.query.board_at.census

    @property
    def counts(self) -> Mapping[str, int]:
        return self.census.kinds

    @cached_property
    def benchmark(self) -> Benchmark:
        return registry.get(self.board.benchmark)

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """The visible metrics; the first ranks the board."""
        return tuple(visibility.visible_metrics(self.board))

    @property
    def score(self) -> Metric:
        return self.metrics[0]

    @property
    def explained(self) -> list[Metric]:
        """The metrics whose meaning a page explains."""
        return [metric for metric in self.metrics if metric.stands_for]

    @cached_property
    def columns(self) -> list[Column]:
        """The columns of the tables, in order.

        Figures that no row has are left out unless the reader sorts by them, and stated costs where a metric
        has costs.
        """
        sort, empty = self.query.sort, {metric.key for metric in self.metrics} - _known_metrics(self)
        # Rows are read only for a section that is rendered anew.
        for section in self.sections if empty else ():
            empty -= self.board_at.remember(f"metrics:{section.keys}", partial(_known_metrics, section))
        has_costs = any(metric.unit == Unit.USD for metric in self.metrics)

        def is_shown(column: Column) -> bool:
            if not column.is_where_stated or column.sort_key == sort:
                return True
            if column.metric:
                return column.key not in empty
            return not (column.key == "cost" and has_costs) and any(
                column.text(row, str) for row in self.rows
            )

        shown = [column for column in columns_of(self.board) if is_shown(column)]
        before_score = [column for column in shown if column.is_before_score]
        others = [column for column in shown if not column.is_before_score]
        return [SYSTEM, *before_score, score_of(self.score), *others]

    @cached_property
    def finding(self) -> Summary | None:
        """What the tests show about the first row; None for a choice of rows."""
        return summary_of(self.query)

    @property
    def can_compare(self) -> bool:
        """Whether a reader can choose two rows of the main table to compare: any but baselines."""
        is_main = not {Kind.RESCORED, Kind.REPORTED}.isdisjoint(self.kinds)
        return is_main and self.board_at.as_of is None and self.census.systems > 1

    @property
    def ranks(self) -> str:
        """A sentence in English that says which systems are ranked together."""
        return describe_ranks(self.board_at)

    @property
    def has_points(self) -> bool:
        """Whether a rank is by score alone."""
        return any(row.rank is not None and not row.place.is_known for row in self.rows)

    @property
    def has_interval(self) -> bool:
        return any(column.has_axis for column in self.columns)

    @property
    def has_conditions(self) -> bool:
        return any(column.key in CONDITIONS for column in self.columns)

    @property
    def announcements(self) -> list[Announcement]:
        return self.board_at.remember(
            "announcements", lambda: list(self.board.announcements.filter(ended_at=None))
        )

    @property
    def tasks(self) -> int | None:
        """The number of tasks; None where it is not known."""
        return tasks_of(self.board_at)

    @property
    def judge(self) -> str:
        """The judge of the main table, or else of new submissions; "" where nothing is judged."""
        return (self.group.judge if self.group else "") or current_identity(self.board)


def _known_metrics(part: BoardPage | RowSection) -> set[str]:
    return {key for row in part.rows for key, value in row.metrics.items() if value is not None}


def read_board(query: Query, *, size: int = PAGE_SIZE) -> BoardPage:
    """Return one page of all rows for `query`. Rows without the figure to sort by come last."""
    board_at = query.board_at
    chosen = filter_rows(board_at.rows, query)
    count, systems = board_at.census.total, board_at.census.systems
    if query.is_filtered:
        count, systems = board_at.remember(f"counts:{sorted(query.filters.items())}", lambda: _count(chosen))
    page = page_of_keys(order_rows(chosen, query, has_gaps=board_at.census.gaps > 0), count, size, query.page)
    rows = rows_by_key(query, list(page), with_groups=True)
    return BoardPage(query=query, rows=rows, page=page, system_count=systems)


def read_divided(query: Query) -> BoardPage:
    """Return a page of the main table for `query`, and the sections below it."""
    counts = count_groups(query)
    main = main_group(query, counts)
    number = counts[main]
    size = MOST_AT_ONCE if query.page == 0 and number <= MOST_AT_ONCE else PAGE_SIZE
    page = page_of_keys(rows_in_order(query, main), number, size, query.page)
    others = other_groups(counts, main, query.board_at) if page.number == 1 else {}
    return BoardPage(
        query=query,
        rows=rows_by_key(query, list(page)),
        page=page,
        system_count=sum(number for group, number in counts.items() if not group.is_baseline),
        group=main,
        kinds={part[0] for part in count_by_part(query) if part in main},
        sections=read_sections(query, others),
    )


def _count(rows: QuerySet[Standing]) -> tuple[int, int]:
    counts = rows.order_by().aggregate(rows=Count("pk"), systems=Count("pk", filter=~Q(kind=Kind.BASELINE)))
    return counts["rows"], counts["systems"]
