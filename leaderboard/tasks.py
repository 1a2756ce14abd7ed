"""Background tasks, run by workers or by threads of the server. Each may run twice, or be killed."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from leaderboard.services import background, schema
from leaderboard.services.background import Task
from leaderboard.services.statistics import compute
from leaderboard.services.submissions import admit, grade, lanes, rescore

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _task(function: Callable[_P, _R]) -> Callable[_P, _R | None]:
    """Make a task, which a process leaves to others once the tables are those of a later release."""

    @wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R | None:
        return function(*args, **kwargs) if schema.watch.reason() is None else None

    return run


@_task
def take_turn(*, team_id: int, is_long: bool) -> None:
    """Work on the next file of a team, after its following turn has been queued."""
    lanes.take_turn(team_id=team_id, is_long=is_long)


@_task
def admit_submission(submission_id: uuid.UUID) -> None:
    """Check a received file."""
    admit.check(submission_id=submission_id)


@_task
def grade_submission(submission_id: uuid.UUID) -> None:
    """Score a queued submission."""
    grade.score(submission_id=submission_id)


@_task
def work_on_next(*, is_long: bool) -> bool:
    """Check or score the submission whose turn it is in its lane; return whether there was any."""
    return lanes.work_on_next(is_long=is_long)


@_task
def board_statistics(board_id: int) -> None:
    """Compute the statistics of a leaderboard."""
    compute.compute_statistics(board_id=board_id)


@_task
def rescore_board(board_id: int) -> int:
    """Rescore a leaderboard against its active revision; return how many submissions changed."""
    return rescore.rescore_board(board_id=board_id)


background.tasks.update(
    {
        Task.ADMIT: admit_submission,
        Task.GRADE: grade_submission,
        Task.NEXT: work_on_next,
        Task.STATISTICS: board_statistics,
    }
)
