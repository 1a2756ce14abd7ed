"""Read the rows of a board: filtered, sorted and by page."""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import lru_cache
from typing import cast

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from leaderboard.models import Kind, ReferenceRevision, Standing
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, select_rows
from leaderboard.services.boards.row import Row, row_maker
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.rows.export_row import export_rows
from scoring import registry

PAGE_SIZE = 50
_CHUNK = 1000  # rows of an export


class Groups(Enum):
    """How much rows hold of the figures of groups of tasks. With NONE, each standing is an `ExportRow`."""

    NONE = auto()
    RATES = auto()
    ALL = auto()


class _Keys:
    """The primary keys of ordered rows and their number, as a paginator reads them."""

    def __init__(self, rows: QuerySet[Standing], count: int) -> None:
        self._rows, self._count = rows, count

    def count(self) -> int:
        return self._count

    def __getitem__(self, part: slice) -> list[int]:
        # Read only keys: the index contains them, so the rows of the pages before are not read.
        return list(self._rows.values_list("pk", flat=True)[part])


def page_of_keys(rows: QuerySet[Standing], count: int, size: int, number: int) -> Page[int]:
    """Return a page of primary keys of ordered rows, of which there are `count`; past the end, the last."""
    return _page(_Keys(rows, count), size, number)


def _page(keys: _Keys, size: int, number: int) -> Page[int]:
    # A paginator needs only those methods of a list that `_Keys` has.
    return Paginator(cast("list[int]", keys), size).get_page(number)


def describe_ranks(board_at: RecordedBoard) -> str:
    """Return a sentence that says which systems are ranked together."""
    if not registry.get(board_at.board.benchmark).needs_judge:
        # The other two are also in templates, where their translations are.
        return gettext_noop("A rank is among all ranked systems of the leaderboard.")
    if board_at.mixes_judges:
        return "The organisers rank all systems together, though different judges decided: compare with care."
    return "A rank is among the systems that the same judge decided on, since judges differ."


def page_of_row(row: Standing) -> int:
    """Return the number of the page, from 1, on which a row of a board is in the order of the ranks."""
    later = Q(score=row.score, since__gt=row.since) | Q(
        score=row.score, since=row.since, system__gt=row.system_id
    )
    rows = Standing.objects.filter(board=row.board_id, score__gte=row.score)
    return rows.exclude(pk=row.pk).exclude(later).count() // PAGE_SIZE + 1


def read_page(query: Query, *, breakdown: str, size: int) -> tuple[list[Row], Page[int]]:
    """Return a page of `size` rows for `query`, of those that have figures by `breakdown`."""
    rows = select_rows(query).filter(Q(evaluation__isnull=False) | Q(breakdowns__has_key=breakdown))
    page = _page(_Keys(rows, rows.count()), size, query.page)
    return rows_by_key(query.board_at, list(page)), page


def rows_by_key(board_at: BoardAt, keys: Sequence[int], *, groups: Groups = Groups.ALL) -> list[Row]:
    """Return the rows with these primary keys, in this order, without those deleted meanwhile."""
    if not keys:
        return []
    if groups == Groups.NONE:
        chosen = export_rows(board_at.rows.filter(pk__in=keys))
        by_key = {row.standing.pk: row for row in map(row_maker(board_at), chosen)}
    else:
        listed = board_at.rows.listed() if groups == Groups.ALL else board_at.rows.listed_briefly()
        by_key = {row.standing.pk: row for row in rows_of(board_at, listed.filter(pk__in=keys))}
    return [by_key[key] for key in keys if key in by_key]


def every_row(query: Query, *, with_groups: bool = False) -> Iterator[Row]:
    """Yield all rows of the board for `query` in its order, with only a few in memory at a time.

    with_groups: whether the rows have figures by group. Otherwise each standing is an `ExportRow`, which
        takes a third of the time.
    """
    make = row_maker(query.board_at)
    rows = select_rows(query)
    if with_groups:
        yield from map(make, rows.listed().iterator(chunk_size=_CHUNK))
    else:
        yield from map(make, export_rows(rows, chunk_size=_CHUNK))


def rows_of(board_at: BoardAt, standings: Iterable[Standing]) -> list[Row]:
    """Return the rows of `standings` with the figures that are visible, in the same order."""
    make = row_maker(board_at)
    rows = []
    for standing in standings:
        # Otherwise the first use of `standing.board` would query it again.
        standing.board = board_at.board
        rows.append(make(standing))
    return rows


@lru_cache(maxsize=256)
def task_count(revision_id: int) -> int:
    """Return the number of tasks in a revision of the references.

    Cached, since it never changes and the stored list of their ids is long.
    """
    return len(ReferenceRevision.objects.values_list("task_ids", flat=True).get(pk=revision_id))


def first_rows(board_at: BoardAt, *, count: int) -> list[Row]:
    """Return the highest ranked rows of the compared judge, at most `count`.

    If there are verified rows, only those: they never share a table with results as published elsewhere.
    """
    ranked = board_at.ranked_rows.best_first()
    if not board_at.mixes_judges and board_at.compared_judge is not None:
        ranked = ranked.filter(judge=board_at.compared_judge)
    keys = ranked.values_list("pk", flat=True)
    verified = list(keys.filter(kind=Kind.RESCORED)[:count])
    return rows_by_key(board_at, verified or list(keys[:count]), groups=Groups.NONE)
