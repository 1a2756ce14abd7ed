"""The boards as they are now, which decide whether a page that was rendered before is still current."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from django.db import connection

from leaderboard.models import Board


class BoardNow(NamedTuple):
    """A board and its state.

    pk, revision, changed_at: together they determine the rows of its pages.
    settings: the values of all columns of the board. changed_at, settings: as the database returns them
    """

    pk: int
    slug: str
    revision: int
    changed_at: Any
    settings: tuple[Any, ...]


def read_boards() -> Sequence[BoardNow]:
    """Return all boards that have a state, in the order of their keys."""
    with connection.cursor() as cursor:
        cursor.execute(*_statement())
        return [
            BoardNow(pk, slug, revision, changed_at, tuple(settings))
            for pk, slug, revision, changed_at, *settings in cursor
        ]


@cache
def _statement() -> tuple[str, tuple[Any, ...]]:
    """Return SQL and parameters; kept, since Django takes 1 ms to make them for each request of a page."""
    columns = [field.attname for field in Board._meta.concrete_fields]
    boards = Board.objects.filter(state__isnull=False).order_by("pk")
    rows = boards.values_list("pk", "slug", "state__revision", "state__changed_at", *columns)
    return rows.query.sql_with_params()
