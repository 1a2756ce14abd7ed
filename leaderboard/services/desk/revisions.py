"""Compare revisions of the references of a board by ids of tasks, and estimate what rescoring takes.

No function here returns a reference.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Sum

from leaderboard.models import Board, Evaluation, ReferenceRevision
from leaderboard.services.judging.judge import asks_llm
from leaderboard.services.judging.references import changed_tasks
from leaderboard.services.submissions import rescore


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionDifference:
    """The ids of the tasks in which a revision differs from the active one."""

    added: Sequence[str]
    removed: Sequence[str]
    changed: Sequence[str]

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoringEstimate:
    """What rescoring a board takes at most.

    count: submissions whose score is not by the present revision, grader and judge
    seconds: of grading and judging, one after the other, by their last scores
    cost: US dollars of judging, 0 where no LLM is asked; None where nothing is known of what a file costs
    """

    count: int
    seconds: float
    cost: float | None


def difference(old: ReferenceRevision, new: ReferenceRevision) -> RevisionDifference:
    """Return in which tasks `new` differs from `old`."""
    before, after = set(old.task_ids), set(new.task_ids)
    return RevisionDifference(
        added=[task for task in new.task_ids if task not in before],
        removed=[task for task in old.task_ids if task not in after],
        changed=changed_tasks(old, new),
    )


def estimate_rescoring(board: Board) -> RescoringEstimate:
    """Return what rescoring a board takes, by what its last scores took."""
    rows = rescore.outdated(board)
    count = rows.count()
    milliseconds = rows.aggregate(sum=Sum("evaluation__duration_ms"))["sum"] or 0
    cost: float | None = 0.0
    if asks_llm(board) and count:
        spent = Evaluation.objects.filter(submission__board=board).exclude(spending={})
        costs = [spending.get("cost", 0.0) for spending in spent.values_list("spending", flat=True)]
        cost = count * sum(costs) / len(costs) if costs else None
    return RescoringEstimate(count=count, seconds=milliseconds / 1000, cost=cost)
