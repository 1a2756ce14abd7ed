"""Group the reports of doubtful reference answers by task, and find the tasks that every top system misses.

No function here returns a reference.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.models import Board, Doubt, DoubtState, Evaluation, Kind, Standing
from leaderboard.services.boards.board_at import BoardAt
from wardboard.scoring import registry

TOP = 5  # systems


@dataclass(frozen=True, slots=True, kw_only=True)
class TopSystems:
    """The verified systems that rank highest by the active revision, at most TOP, and what they miss.

    misses: task id -> the names of those whose answer is wrong in every run, of tasks that any misses
    """

    names: Sequence[str] = ()
    misses: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def missed_by_all(self) -> list[str]:
        """The tasks that every one of them misses, in order; [] for fewer than two systems."""
        if len(self.names) < 2:
            return []
        return [task for task, names in self.misses.items() if len(names) == len(self.names)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtedTask:
    """A task that teams reported. doubts: the reports, newest first; missed_by: names of top systems"""

    task_id: str
    doubts: Sequence[Doubt]
    missed_by: Sequence[str] = ()

    @property
    def open_doubts(self) -> list[Doubt]:
        return [doubt for doubt in self.doubts if doubt.state == DoubtState.OPEN]

    @property
    def teams(self) -> int:
        """The number of teams with an open report."""
        return len({doubt.team_id for doubt in self.open_doubts})


def doubted_tasks(board: Board, top: TopSystems) -> list[DoubtedTask]:
    """Return the reported tasks, those with most open reports first."""
    by_task = defaultdict[str, list[Doubt]](list)
    rows = Doubt.objects.filter(board=board)
    for doubt in rows.select_related("team", "reported_by", "decided_by", "submission__system"):
        by_task[doubt.task_id].append(doubt)
    tasks = [
        DoubtedTask(task_id=task, doubts=doubts, missed_by=top.misses.get(task, ()))
        for task, doubts in by_task.items()
    ]
    return sorted(tasks, key=lambda task: (-task.teams, task.task_id))


def top_systems(board: Board) -> TopSystems:
    """Return what the top systems of a board miss. An answer that a judge left open is not missed."""
    if not board.is_open:
        return TopSystems()
    rows = Standing.objects.filter(
        board=board, kind=Kind.RESCORED, evaluation__revision=board.active_revision_id
    )
    judge = BoardAt(board).compared_judge
    if judge is not None:
        rows = rows.filter(judge=judge)
    first = rows.ranked().best_first().select_related("evaluation")
    standings = list(first.defer("evaluation__details", "evaluation__breakdowns")[:TOP])
    task_ids = board.ground_truth.task_ids
    wrong = {row.name: _wrong(board, row.evaluation, len(task_ids)) for row in standings if row.evaluation}
    names_by_task = (
        (task, [name for name, is_wrong in wrong.items() if is_wrong[place]])
        for place, task in enumerate(task_ids)
    )
    return TopSystems(names=list(wrong), misses={task: names for task, names in names_by_task if names})


def _wrong(board: Board, evaluation: Evaluation, tasks: int) -> list[bool]:
    """Return for each task, in the order of the revision, whether it is wrong in every run."""
    benchmark = registry.get(board.benchmark)
    codes = bytes(evaluation.verdicts)
    wrong_codes = {code for code in set(codes) if benchmark.is_correct(benchmark.reasons[code]) is False}
    runs = [codes[start : start + tasks] for start in range(0, len(codes), tasks)]
    return [all(code in wrong_codes for code in of_task) for of_task in zip(*runs, strict=True)]
