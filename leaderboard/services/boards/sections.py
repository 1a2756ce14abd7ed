"""Divide the rows of a board so that two rankings never share a column.

The main table has the results of one judge, verified or as published elsewhere. Those of each other judge and
the baselines have sections of their own.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from django.db.models import Count, F
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.database.expressions import Unindexed
from leaderboard.models import Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.census import Part
from leaderboard.services.boards.query import Query, filter_rows, of_part, order_rows
from leaderboard.services.boards.read_rows import rows_by_key
from leaderboard.services.boards.row import Row
from leaderboard.services.judging.names import judge_name
from leaderboard.services.rows.filters import FILTERS, is_indexed
from leaderboard.services.text import join_names
from wardboard.scoring import registry

MOST_ROWS = 25  # rows in a section; the page of the section alone has all
MOST_KEYS = 1000  # rows of a choice that are found once, and then read by their keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rows that are ranked together, or baselines.

    judge: who decided on their answers; None for all judges, on a board that mixes them, and for baselines
    """

    judge: str | None
    is_baseline: bool = False

    def __contains__(self, part: Part) -> bool:
        """Return whether the rows of a kind and a judge are in the group."""
        kind, judge = part
        if self.is_baseline or kind == Kind.BASELINE:
            return self.is_baseline and kind == Kind.BASELINE
        return self.judge in (None, judge)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSection:
    """Rows apart from the main table.

    keys: primary keys of the first MOST_ROWS of `count`
    read: reads the rows of all sections by their keys, once for a page; most pages have them rendered
    """

    group: Group
    count: int
    keys: Sequence[int]
    read: Callable[[], Mapping[int, Row]]

    @property
    def rows(self) -> list[Row]:
        """The rows, without those deleted meanwhile."""
        rows = self.read()
        return [rows[key] for key in self.keys if key in rows]


def chosen_rows(
    query: Query, *, kind: str | None = None, judge: str | None = None
) -> StandingQuerySet[Standing]:
    """Return the rows that match the filters of `query`.

    kind, judge: only the rows that are of these; None for those of all
    """
    board_at = query.board_at
    few = _few_rows(query)
    if few is None:
        return of_part(filter_rows(board_at.rows, query), board_at, kind=kind, judge=judge)
    return board_at.rows_of_keys(
        [key for key, own, own_judge in few if kind in (None, own) and judge in (None, own_judge)]
    )


def count_by_part(query: Query) -> Mapping[Part, int]:
    """Return the number of rows of each kind and judge that match the filters."""
    board_at = query.board_at
    if query.filters.keys() <= {"source", "judge"}:
        chosen = (query.filters.get("source"), query.filters.get("judge"))
        return {
            part: number
            for part, number in board_at.census.parts.items()
            if all(value in (None, own) for value, own in zip(chosen, part, strict=True))
        }
    if (few := _few_rows(query)) is not None:
        return Counter((kind, judge) for _, kind, judge in few)

    def count() -> dict[Part, int]:
        rows = filter_rows(board_at.rows, query).order_by()
        # In the order of the index by judge and kind, SQLite would read each row from another place.
        parts = rows.values_list(Unindexed(F("kind")), Unindexed(F("judge"))).annotate(number=Count("pk"))
        return {(kind, judge): number for kind, judge, number in parts}

    return board_at.remember(f"sizes:{_filters(query)}", count)


def _few_rows(query: Query) -> list[tuple[int, str, str]] | None:
    """Return key, kind and judge of the chosen rows, found once for all pages; None where they are many.

    No index finds a part of a text, or the facts about the file behind a row; None, too, where one does.
    """
    if all(map(is_indexed, query.filters)):
        return None

    def find() -> list[tuple[int, str, str]] | None:
        rows = filter_rows(query.board_at.rows, query).order_by()
        found = list(rows.values_list("pk", "kind", "judge")[: MOST_KEYS + 1])
        return found if len(found) <= MOST_KEYS else None

    return query.board_at.remember(f"chosen:{_filters(query)}", find)


def _filters(query: Query) -> str:
    return json.dumps(query.filters, sort_keys=True)


def rows_in_order(query: Query, group: Group) -> StandingQuerySet[Standing]:
    """Return the rows of a group that match the filters, in the order of `query`."""
    census = query.board_at.census
    if group.is_baseline:
        rows = chosen_rows(query, kind=Kind.BASELINE)
    else:
        rows = chosen_rows(query, judge=group.judge)
        rows = rows.exclude(kind=Kind.BASELINE) if census.kinds[Kind.BASELINE] else rows
    return order_rows(rows, query, has_gaps=census.gaps > 0)


def read_sections(query: Query, groups: Mapping[Group, int]) -> list[RowSection]:
    """Return the sections below the main table. groups: group -> number of its rows"""
    keys_of = {group: _first_keys(query, group) for group in groups}

    @cache
    def read() -> Mapping[int, Row]:
        section_keys = [key for keys in keys_of.values() for key in keys]
        return {row.standing.pk: row for row in rows_by_key(query, section_keys)}

    return [
        RowSection(group=group, count=groups[group], keys=keys, read=read) for group, keys in keys_of.items()
    ]


def _first_keys(query: Query, group: Group) -> list[int]:
    """Return the primary keys of the rows of a section, which are the same on every page for this order."""
    order = json.dumps([query.sort, query.descending, query.filters], sort_keys=True)

    def read() -> list[int]:
        return list(rows_in_order(query, group).values_list("pk", flat=True)[:MOST_ROWS])

    return query.board_at.remember(f"section:{group.is_baseline}:{group.judge}:{order}", read)


def count_groups(query: Query) -> Counter[Group]:
    """Return the number of rows in each group that match the filters."""
    counts: Counter[Group] = Counter()
    for (kind, judge), number in count_by_part(query).items():
        is_baseline = kind == Kind.BASELINE
        apart = not is_baseline and not query.board_at.mixes_judges
        counts[Group(judge=judge if apart else None, is_baseline=is_baseline)] += number
    return counts


def main_group(query: Query, counts: Mapping[Group, int]) -> Group:
    """Return the group of the main table, which has no row only where no row matches."""
    board_at = query.board_at
    usual = Group(judge=None if board_at.mixes_judges else query.judge or board_at.compared_judge)
    if usual in counts or not counts:
        return usual
    ranked = [group for group in counts if not group.is_baseline]
    return max(ranked or counts, key=lambda group: (counts[group], group.judge or ""))


def other_groups(counts: Mapping[Group, int], main: Group, board_at: BoardAt) -> dict[Group, int]:
    """Return the groups of the sections, that of the compared judge first and baselines last."""

    def place(group: Group) -> tuple[bool, bool, int, str]:
        is_other = group.judge != board_at.compared_judge
        return group.is_baseline, is_other, -counts[group], group.judge or ""

    return {group: counts[group] for group in sorted(counts, key=place) if group != main}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A common question as a filter. label: in English; query: of the link."""

    label: str
    count: int
    is_chosen: bool
    query: Query


def chips(query: Query) -> list[Chip]:
    """Return the chips with rows, that of all rows first. Counts are of the whole board."""
    board_at = query.board_at
    numbers = board_at.remember("chips", lambda: _chip_counts(board_at))
    all_rows = Chip(
        label=gettext_noop("All"),
        count=board_at.census.systems,
        is_chosen=not query.is_filtered,
        query=query.without_filters(),
    )
    made = [all_rows]
    for each in FILTERS:
        for value, label in each.chips.items():
            is_chosen = query.filters.get(each.key) == value
            number = numbers[f"{each.key}:{value}"]
            if number or is_chosen:
                toggled = query.with_filters(**{each.key: "" if is_chosen else value})
                made.append(Chip(label=label, count=number, is_chosen=is_chosen, query=toggled))
    return made


def _chip_counts(board_at: BoardAt) -> dict[str, int]:
    """Return filter and value -> number of rows, without baselines."""
    counts = {
        f"{each.key}:{value}": Count("pk", filter=each.condition(value))
        for each in FILTERS
        for value in each.chips
    }
    return board_at.rows.exclude(kind=Kind.BASELINE).order_by().aggregate(**counts)


def other_lists(query: Query) -> dict[str, int]:
    """Return judge -> number of ranked systems, for each judge other than the compared one.

    Empty where `query` is for the rows of a single judge.
    """
    return {} if query.judge else _other_lists(query.board_at)


def _other_lists(board_at: BoardAt) -> dict[str, int]:
    judges = board_at.census.judges
    if len(judges) < 2 or not registry.get(board_at.board.benchmark).needs_judge:
        return {}
    compared = board_at.compared_judge
    return {} if compared is None else {judge: n for judge, n in judges.items() if judge != compared}


def size_of_other(row: Row) -> int | None:
    """Return the number of systems ranked with `row` if its judge is not the compared one.

    None for a row of the compared judge, and for a row without a rank.
    """
    if row.rank is None:
        return None
    return _other_lists(row.board_at).get(row.standing.judge)


def describe_lists(lists: Mapping[str, int]) -> str:
    """Return the result of `other_lists` as an enumeration within a sentence."""
    item = _("%(name)s (%(short)s)")
    return join_names(
        item % {"name": judge_name(judge) or _("judge not stated"), "short": f"{number:,}"}
        for judge, number in lists.items()
    )


def describe_list(judge: str, number: int) -> str:
    """Return a phrase that says to which other list a rank belongs."""
    phrase = _("in another list, of %(n)s judged by %(judge)s") if judge else _("of %(n)s by another judge")
    return phrase % {"n": f"{number:,}", "judge": judge_name(judge)}
