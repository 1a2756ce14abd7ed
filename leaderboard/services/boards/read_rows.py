"""Read the rows of a board: filtered, sorted and by page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from leaderboard.models import Kind, ReferenceRevision, Standing
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, select_rows
from leaderboard.services.boards.row import Row
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics.rank_statistics import UNTESTED, Place, WhyNot
from wardboard.scoring import registry

PAGE_SIZE = 50
MOST_AT_ONCE = 500  # rows on a page that a reader wants whole
_CHUNK = 1000  # rows of an export


def page_of_keys(rows: QuerySet[Standing], count: int, size: int, number: int) -> Page[int]:
    """Return a page of primary keys of ordered rows, of which there are `count`; past the end, the last."""
    # Read only keys: the index contains them, so the rows of the pages before are not read.
    paginator = Paginator(rows.values_list("pk", flat=True), size)
    # It is known, and needs no query.
    paginator.count = count
    return paginator.get_page(number or 1)


def describe_ranks(board_at: RecordedBoard) -> str:
    """Return a sentence that says which systems are ranked together."""
    if not registry.get(board_at.board.benchmark).needs_judge:
        return gettext_noop("A rank is among all ranked systems of the leaderboard.")
    if board_at.mixes_judges:
        return gettext_noop(
            "The organisers rank all systems together, though different judges decided: compare with care."
        )
    return gettext_noop("A rank is among the systems that the same judge decided on, since judges differ.")


def page_of_row(row: Standing) -> int:
    """Return the number of the page, from 1, on which a row of a board is in the order of the ranks."""
    later = Q(score=row.score, since__gt=row.since) | Q(
        score=row.score, since=row.since, system__gt=row.system_id
    )
    rows = Standing.objects.filter(board=row.board_id, score__gte=row.score)
    return rows.exclude(pk=row.pk).exclude(later).count() // PAGE_SIZE + 1


def rows_by_key(query: Query, keys: Sequence[int], *, with_groups: bool = False) -> list[Row]:
    """Return the rows with these primary keys, in this order, without those deleted meanwhile."""
    if not keys:
        return []
    chosen = query.board_at.rows.filter(pk__in=keys).listed()
    rows = map(_row_maker(query), chosen if with_groups else chosen.without_groups())
    by_key = {row.standing.pk: row for row in rows}
    return [by_key[key] for key in keys if key in by_key]


def every_row(query: Query) -> Iterator[Row]:
    """Yield all rows of the board for `query` in its order, with only a few in memory at a time."""
    rows = select_rows(query).listed().without_groups()
    yield from map(_row_maker(query), rows.iterator(chunk_size=_CHUNK))


def rows_of(board_at: BoardAt, standings: Iterable[Standing]) -> list[Row]:
    """Return the rows of `standings`, of the whole board, with the figures that are visible."""
    return list(map(_row_maker(Query(board_at=board_at)), standings))


def _row_maker(query: Query) -> Callable[[Standing], Row]:
    """Return a function that makes a row, with what is claimed about it."""
    board_at = query.board_at
    # Figures printed in a publication are public at every level; the board's level applies to all others.
    published = registry.get(board_at.board.benchmark).metrics
    visible = visibility.visible_metrics(board_at.board)

    def place_of(standing: Standing) -> Place:
        if statistics := board_at.statistics_for(standing.judge):
            return statistics.of(standing)
        is_old = standing.evaluation and standing.evaluation.revision_id != board_at.revision_id
        return Place(why_not=WhyNot.OTHER_REFERENCES if is_old else UNTESTED.get(standing.kind))

    def make(standing: Standing) -> Row:
        # Otherwise the first use of `standing.board` would query it again.
        standing.board = query.board
        unmet = board_at.lead_rules.unmet_by(standing) if standing.kind == Kind.RESCORED else []
        if standing.is_reported:
            metrics = {metric.key: metric.shown(standing.metrics) for metric in published}
        else:
            metrics = {metric.key: metric.rounded(standing.metrics) for metric in visible}
        return Row(
            ranks=None if unmet else board_at.ranks.of(standing),
            standing=standing,
            metrics=metrics,
            place=Place(why_not=WhyNot.RULES) if unmet else place_of(standing),
            unmet_rules=unmet,
            board_at=board_at,
            removal=board_at.removals.get(standing.system_id),
        )

    return make


@lru_cache(maxsize=256)
def task_count(revision_id: int) -> int:
    """Return the number of tasks in a revision of the references.

    Cached, since it never changes and the stored list of their ids is long.
    """
    return len(ReferenceRevision.objects.values_list("task_ids", flat=True).get(pk=revision_id))


def tasks_of(board_at: RecordedBoard) -> int | None:
    """Return the number of tasks; without reference answers that of all published rows, if it is one."""
    if board_at.revision_id:
        return task_count(board_at.revision_id)
    totals = board_at.rows.filter(kind=Kind.REPORTED).order_by().values_list("total", flat=True).distinct()
    known = board_at.remember("totals", lambda: list(totals[:2]))
    return known[0] if len(known) == 1 else None


def first_rows(board_at: BoardAt, *, count: int) -> list[Row]:
    """Return the best rows of the compared judge, at most `count`: with a rank, where any has one."""
    rows = board_at.ranked_rows
    if not board_at.census.kinds[Kind.RESCORED]:
        rows = board_at.rows.filter(kind=Kind.REPORTED, score__isnull=False)
    if not board_at.mixes_judges and board_at.compared_judge is not None:
        rows = rows.filter(judge=board_at.compared_judge)
    return rows_by_key(Query(board_at=board_at), list(rows.best_first().values_list("pk", flat=True)[:count]))
