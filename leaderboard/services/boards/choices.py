"""List the names by which the rows of a board can be filtered, and name unknown values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from django.db.models import F
from django.db.models.lookups import Exact

from leaderboard.database.expressions import Unindexed
from leaderboard.models import Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services.boards.census import take_census
from leaderboard.services.record.board_at import RecordedBoard
from leaderboard.services.rows.filters import FILTERS, Filter

_RARE = 10  # one row in so many
_LONGEST_SHOWN = 60  # characters of an unknown value
_UNREADABLE = "\ufffd"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownValue:
    """A value of a parameter that the board does not have. nearest: the known value most like it, or ""."""

    name: str
    value: str
    nearest: str

    @property
    def explanation(self) -> str:
        """A sentence in English."""
        return f"{self.name}={self.value} is not a value of this leaderboard."


def unknown_value(name: str, value: str, known: Sequence[str]) -> UnknownValue:
    """Return a value of the parameter `name` that is not among `known`, with the nearest of these."""
    shown = "".join(c if c.isprintable() else _UNREADABLE for c in value)
    shown = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    folded = {known_value.casefold(): known_value for known_value in known if known_value}
    nearest = get_close_matches(value.casefold()[:_LONGEST_SHOWN], folded, n=1, cutoff=0.5)
    return UnknownValue(name=name, value=shown, nearest=folded[nearest[0]] if nearest else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterChoices:
    """The names by which the rows of a board can be filtered.

    names: filter -> names in alphabetical order, those with most systems
    complete: the filters of which the board has no further name
    """

    names: Mapping[str, Sequence[str]]
    complete: frozenset[str] = frozenset()


def filter_choices(board: RecordedBoard) -> FilterChoices:
    """Return the names by which the rows of the board can be filtered."""

    def make() -> FilterChoices:
        lists = {each.key: each.names(board.rows) for each in FILTERS if each.names}
        return FilterChoices(
            names={key: names for key, (names, _) in lists.items()},
            complete=frozenset(key for key, (_, has_all) in lists.items() if has_all),
        )

    return board.remember("offers", make)


def of_part(
    rows: StandingQuerySet[Standing],
    board: RecordedBoard,
    *,
    kind: str | None = None,
    judge: str | None = None,
) -> StandingQuerySet[Standing]:
    """Return the rows of one kind and one judge; None selects all kinds or all judges."""
    census = take_census(board)
    for field, value, numbers in (("kind", kind, census.kinds), ("judge", judge, census.judges)):
        if value is None:
            continue
        # For a common value, the index that covers all filters is faster than that of the value.
        is_rare = numbers.get(value, 0) * _RARE < census.total
        rows = rows.filter(Exact(F(field) if is_rare else Unindexed(F(field)), value))
    return rows


def is_known(board: RecordedBoard, chosen: Filter, name: str) -> bool:
    """Return whether any row of the board has `name`, which a filter of names selects by."""
    choices = filter_choices(board)
    listed = choices.names.get(chosen.key, ())
    if name in listed:
        return True
    # SQLite finds a model in either case.
    if chosen.key in choices.complete and name.casefold() not in {each.casefold() for each in listed}:
        return False
    return board.rows.filter(chosen.condition(name)).exists()
