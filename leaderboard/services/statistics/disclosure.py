"""Decide which tables of paired tests are shown: a small cell would reveal verdicts on single tasks.

On a board with hidden references, a table, with the p-value and the interval that follow from it, is shown

- if it is over 30 tasks or more, and each of its four cells is 0 or at least 5;
- below feedback level by-task, only if each of the two systems also answered 90% of the tasks: a submitter
  who answers few could compare that file with published ones task by task.

Where references are public (`is_demo`), everything is shown.
"""

from collections.abc import Mapping, Sequence

from django.db.models import F, Q

from leaderboard.models import Board, Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.statistics.pair_tests import GroupDifference
from wardboard.scoring.statistics.pairs import PairedTable

FEWEST_TASKS = 30
_SMALLEST_CELL = 5
_LEAST_COVERAGE = 0.9


def is_large_enough(table: PairedTable) -> bool:
    """Return whether the table is over enough tasks, and none of its cells is small."""
    return sum(table) >= FEWEST_TASKS and all(cell == 0 or cell >= _SMALLEST_CELL for cell in table)


def needs_coverage(board: Board) -> bool:
    """Return whether only systems that answered most tasks are compared in detail."""
    return not board.is_demo and not visibility.by_task(board)


def shows_table(board: Board, table: PairedTable) -> bool:
    """Return whether the counts over all tasks are shown for two systems that answered enough.

    At feedback level by-task the lists of tasks give them away.
    """
    if not visibility.by_group(board):
        return False
    return board.is_demo or visibility.by_task(board) or is_large_enough(table)


def systems_of_low_coverage(rows: StandingQuerySet[Standing]) -> frozenset[int]:
    """Return the rescored systems among `rows` that answered too few tasks, by primary key.

    Where the benchmark has no metric of it, the records of the file count.
    """
    by_metric = Q(metrics__has_key="coverage")
    answered_few = Q(metrics__coverage__lt=_LEAST_COVERAGE) | (
        ~by_metric & Q(evaluation__submission__count__lt=_LEAST_COVERAGE * F("total"))
    )
    low = rows.filter(kind=Kind.RESCORED).filter(answered_few).order_by()
    return frozenset(low.values_list("system_id", flat=True))


def visible_groups(
    board: Board, groups: Mapping[str, Sequence[GroupDifference]]
) -> dict[str, tuple[GroupDifference, ...]]:
    """Return the differences by group that are shown. groups: breakdown -> all of them"""
    fixed = [each.key for each in visibility.visible_breakdowns(board) if each.fixed and each.key in groups]
    visible = {}
    for key in fixed:
        shown = groups_shown(board, {line.group: line.tables for line in groups[key]})
        visible[key] = tuple(line for line in groups[key] if line.group in shown)
    return visible


def groups_shown(board: Board, tables: Mapping[str, Sequence[PairedTable]]) -> frozenset[str]:
    """Return the groups of a breakdown whose tables are shown.

    tables: each group that has tasks -> its table or, with open answers, a table for each way of counting
        them; a group is shown only if all its tables are large enough

    Subtracting the tables of the groups shown from that over all tasks gives the sum of the other tables, so
    that must be large enough too: until it is, further groups are left out, the smallest first.
    """
    if board.is_demo:
        return frozenset(tables)
    by_size = sorted(tables, key=lambda group: sum(tables[group][0]))
    shown = [group for group in by_size if all(map(is_large_enough, tables[group]))]
    left_out = [tables[group] for group in tables if group not in shown]
    while shown and left_out and not all(is_large_enough(_sum(ways)) for ways in zip(*left_out, strict=True)):
        left_out.append(tables[shown.pop(0)])
    return frozenset(shown)


def _sum(tables: Sequence[PairedTable]) -> PairedTable:
    return PairedTable(*map(sum, zip(*tables, strict=True)))
