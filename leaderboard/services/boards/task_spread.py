"""How the tasks of a board are spread over groups."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from leaderboard.models import Board, Kind, Standing
from leaderboard.services import visibility
from wardboard.scoring.benchmark import Breakdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The number of tasks in each group of a breakdown.

    tasks: group -> number of tasks
    is_published: whether the numbers are from a publication and not from the ground truth
    """

    breakdown: Breakdown
    tasks: Mapping[str, int]
    is_published: bool

    @property
    def total(self) -> int:
        return sum(self.tasks.values())


def task_spreads(board: Board) -> list[Spread]:
    """Return how the tasks are spread over the groups that every system shares, where a row shows it."""
    fixed = [breakdown for breakdown in visibility.visible_breakdowns(board) if breakdown.fixed]
    return [spread for breakdown in fixed if (spread := _spread(board, breakdown))]


def _spread(board: Board, breakdown: Breakdown) -> Spread | None:
    """Return the sizes from a baseline, else a row of the active ground truth, else a reported one."""
    key, rows = breakdown.key, Standing.objects.filter(board=board).listed().order_by("pk")
    conditions = (
        Q(kind=Kind.BASELINE, breakdowns__has_key=key),
        Q(
            kind=Kind.RESCORED,
            evaluation__revision=board.active_revision_id,
            evaluation__breakdowns__has_key=key,
        ),
        Q(kind=Kind.REPORTED, breakdowns__has_key=key),
    )
    row = next((row for condition in conditions if (row := rows.filter(condition).first())), None)
    if row is None:
        return None
    runs = row.evaluation.runs if row.evaluation else 1
    groups = visibility.visible_groups(board, row.shown_breakdowns, runs=runs)[key]
    tasks = {group: rate.total // rate.runs for group, rate in groups.items() if rate.total}
    # Before a board has a ground truth, its baselines are computed from published figures as well.
    is_published = row.is_reported or not board.is_open
    return Spread(breakdown=breakdown, tasks=tasks, is_published=is_published) if tasks else None
