"""The boards as they are now, which decide whether a page that was rendered before is still current."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from django.db import connection

from leaderboard.models import Board, BoardState


class BoardNow(NamedTuple):
    """A board and its state.

    pk, revision, changed_at: together they determine the rows of its pages.
    settings: the values of all columns of the board, as the database returns them.
    """

    pk: int
    slug: str
    revision: int
    changed_at: datetime
    settings: tuple[Any, ...]


def read_boards() -> Sequence[BoardNow]:
    """Return all boards that have a state, in the order of their keys.

    Every request for a public page runs this statement, so a process compiles it once: compiling takes
    Django longer than answering takes the database.
    """
    statement, params = _statement()
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        rows = cursor.fetchall()
    return [
        BoardNow(pk, slug, revision, _to_time(changed_at), tuple(columns))
        for pk, slug, revision, changed_at, *columns in rows
    ]


@cache
def _statement() -> tuple[str, tuple[Any, ...]]:
    columns = [field.attname for field in Board._meta.concrete_fields]
    boards = Board.objects.filter(state__isnull=False).order_by("pk")
    compiled = boards.values_list("pk", "slug", "state__revision", "state__changed_at", *columns)
    return compiled.query.sql_with_params()


def _to_time(value: Any) -> datetime:
    """Return a time from the database as Django would: SQLite has no type for times."""
    field = BoardState._meta.get_field("changed_at")
    column = field.get_col(BoardState._meta.db_table)
    for convert in connection.ops.get_db_converters(column):
        value = convert(value, column, connection)
    assert isinstance(value, datetime)
    return value
