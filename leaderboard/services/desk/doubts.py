"""Group the reports of doubtful reference answers by task. No function here returns a reference."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.models import Board, Doubt, DoubtState


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtedTask:
    """A task that teams reported. doubts: the reports, newest first"""

    task_id: str
    doubts: Sequence[Doubt]

    @property
    def open_doubts(self) -> list[Doubt]:
        return [doubt for doubt in self.doubts if doubt.state == DoubtState.OPEN]

    @property
    def teams(self) -> int:
        """The number of teams with an open report."""
        return len({doubt.team_id for doubt in self.open_doubts})


def doubted_tasks(board: Board) -> list[DoubtedTask]:
    """Return the reported tasks, those with most open reports first."""
    by_task = defaultdict[str, list[Doubt]](list)
    rows = Doubt.objects.filter(board=board)
    for doubt in rows.select_related("team", "reported_by", "decided_by", "submission__system"):
        by_task[doubt.task_id].append(doubt)
    tasks = [DoubtedTask(task_id=task, doubts=doubts) for task, doubts in by_task.items()]
    return sorted(tasks, key=lambda task: (-task.teams, task.task_id))
