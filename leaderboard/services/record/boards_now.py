"""The boards as they are now, which decide whether a page that was rendered before is still current."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from leaderboard.models import Board


class BoardNow(NamedTuple):
    """A board and its state.

    pk, revision, changed_at: together they determine the rows of its pages.
    settings: the values of all columns of the board
    """

    pk: int
    slug: str
    revision: int
    changed_at: datetime
    settings: tuple[Any, ...]


def read_boards() -> Sequence[BoardNow]:
    """Return all boards that have a state, in the order of their keys."""
    columns = [field.attname for field in Board._meta.concrete_fields]
    boards = Board.objects.filter(state__isnull=False).order_by("pk")
    rows = boards.values_list("pk", "slug", "state__revision", "state__changed_at", *columns)
    return [
        BoardNow(pk, slug, revision, changed_at, tuple(settings))
        for pk, slug, revision, changed_at, *settings in rows
    ]
