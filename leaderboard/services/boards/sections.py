"""Divide the rows of a board so that two rankings never share a column.

The main table has the results of one judge, verified or as published elsewhere. Those of each other judge and
the baselines have sections of their own.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from django.db.models import Count
from django.utils.translation import gettext as _

from leaderboard.models import Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.census import Part
from leaderboard.services.boards.query import Query, filter_rows, order_rows
from leaderboard.services.boards.read_rows import rows_by_key
from leaderboard.services.boards.row import Row
from leaderboard.services.judging.names import judge_name
from wardboard.scoring import registry

MOST_ROWS = 25  # rows in a section; the page of the section alone has all


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


def count_by_part(query: Query) -> Mapping[Part, int]:
    """Return the number of rows of each kind and judge that match the filters."""
    board_at = query.board_at
    if not query.is_filtered:
        return board_at.census.parts
    rows = filter_rows(board_at.rows, query).order_by().values_list("kind", "judge")
    parts, name = rows.annotate(number=Count("pk")), f"sizes:{json.dumps(query.filters, sort_keys=True)}"
    return board_at.remember(name, lambda: {(kind, judge): number for kind, judge, number in parts})


def rows_in_order(query: Query, group: Group) -> StandingQuerySet[Standing]:
    """Return the rows of a group that match the filters, in the order of `query`."""
    rows = filter_rows(query.board_at.rows, query)
    if group.is_baseline:
        rows = rows.filter(kind=Kind.BASELINE)
    else:
        rows = rows.exclude(kind=Kind.BASELINE)
        rows = rows if group.judge is None else rows.filter(judge=group.judge)
    return order_rows(rows, query, has_gaps=query.board_at.census.gaps > 0)


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
    keys = rows_in_order(query, group).values_list("pk", flat=True)[:MOST_ROWS]
    return query.board_at.remember(f"section:{group.is_baseline}:{group.judge}:{order}", lambda: list(keys))


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
        return group.is_baseline, group.judge != board_at.compared_judge, -counts[group], group.judge or ""

    return {group: counts[group] for group in sorted(counts, key=place) if group != main}


def size_of_other(row: Row) -> int | None:
    """Return the number of systems ranked with `row` if its judge is not the compared one.

    None for a row of the compared judge, and for a row without a rank.
    """
    board_at, judge = row.board_at, row.standing.judge
    judges = board_at.census.judges
    if row.rank is None or len(judges) < 2 or not registry.get(board_at.board.benchmark).needs_judge:
        return None
    return None if board_at.compared_judge in (None, judge) else judges.get(judge)


def describe_list(row: Row) -> str:
    """Return a phrase that says to which other list a rank belongs; "" for the board's own."""
    number, judge = size_of_other(row), row.standing.judge
    if number is None:
        return ""
    phrase = _("in another list, of %(n)s judged by %(judge)s") if judge else _("of %(n)s by another judge")
    return phrase % {"n": f"{number:,}", "judge": judge_name(judge)}
