"""Background tasks, run by workers or by threads of the server. Each may run twice, or be killed."""

import uuid

from leaderboard.services import background
from leaderboard.services.background import Task
from leaderboard.services.statistics import compute
from leaderboard.services.submissions import admit, grade, lanes


def admit_submission(submission_id: uuid.UUID) -> None:
    admit.check(submission_id=submission_id)


def grade_submission(submission_id: uuid.UUID) -> None:
    grade.score(submission_id=submission_id)


def work_on_next(*, is_long: bool) -> bool:
    return lanes.work_on_next(is_long=is_long)


def board_statistics(board_id: int) -> bool:
    return compute.compute_statistics(board_id=board_id)


background.tasks.update(
    {
        Task.ADMIT: admit_submission,
        Task.GRADE: grade_submission,
        Task.NEXT: work_on_next,
        Task.STATISTICS: board_statistics,
    }
)
