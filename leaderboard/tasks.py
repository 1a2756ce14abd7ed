"""Background tasks, run by workers or by threads of the server. Each may run twice, or be killed."""

import uuid

from leaderboard.services import background
from leaderboard.services.background import Task
from leaderboard.services.statistics import compute
from leaderboard.services.submissions import admit, grade, lanes, rescore


def take_turn(*, team_id: int, is_long: bool) -> None:
    """Work on the next file of a team, after its following turn has been queued."""
    lanes.take_turn(team_id=team_id, is_long=is_long)


def admit_submission(submission_id: uuid.UUID) -> None:
    """Check a received file."""
    admit.check(submission_id=submission_id)


def grade_submission(submission_id: uuid.UUID) -> None:
    """Score a queued submission."""
    grade.score(submission_id=submission_id)


def work_on_next(*, is_long: bool) -> bool:
    """Check or score the submission whose turn it is in its lane; return whether there was any."""
    return lanes.work_on_next(is_long=is_long)


def board_statistics(board_id: int) -> None:
    """Compute the statistics of a leaderboard."""
    compute.compute_statistics(board_id=board_id)


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
