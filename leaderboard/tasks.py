"""Background tasks, run by workers or by threads of the server. Each may run twice, or be killed."""

from leaderboard.services import background
from leaderboard.services.background import Task
from leaderboard.services.seasons import reveal
from leaderboard.services.statistics import compute
from leaderboard.services.submissions import lanes

background.tasks.update(
    {
        Task.WORK: lanes.work_on,
        # One after the other: neither keeps the other from its turn.
        Task.NEXT: lambda is_long: any(
            [lanes.work_on_next(is_long=is_long), is_long and reveal.work_on_next()]
        ),
        Task.STATISTICS: lambda board_id: compute.compute_statistics(board_id=board_id),
    }
)
