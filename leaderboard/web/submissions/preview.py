"""What publishing a result would do: its rank, its row, and whether it becomes the system's entry."""

from dataclasses import dataclass

from leaderboard.models import Benchmark, Submission
from leaderboard.services.boards import ranks
from leaderboard.services.publishing.publish import would_be_entry
from leaderboard.services.record.board_at import RecordedBoard
from leaderboard.services.visibility import RoundedRate, VisibleResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The row of an unpublished result, as far as its team may know it.

    best, worst: its rank lies between, whatever its score is within the rounding.
    systems: number of systems that it would be ranked among, with itself.
    is_entry: whether the row would show this result; another published one of the system stays otherwise.
    """

    best: int
    worst: int
    systems: int
    is_entry: bool


def preview_of(submission: Submission, result: VisibleResult) -> Preview:
    """Return the preview of an unpublished result from the score that is visible, and from nothing else."""
    best, worst, systems = ranks_of(result, submission.benchmark, system=submission.system_id)
    return Preview(best=best, worst=worst, systems=systems, is_entry=would_be_entry(submission))


def ranks_of(result: VisibleResult, benchmark: Benchmark, *, system: int | None) -> tuple[int, int, int]:
    """Return the best and the worst rank that the visible score would have, and of how many.

    system: whose own row does not count; None where all rows do.
    """
    if isinstance(result.overall, RoundedRate):
        low, high, is_open = _span(result.overall)
    else:
        low = high = result.overall.rate or 0.0
        is_open = False
    return ranks.ranks_within(
        RecordedBoard(benchmark),
        judge=result.evaluation.judge,
        low=low,
        high=high,
        is_open=is_open,
        system=system,
    )


def _span(rounded: RoundedRate) -> tuple[float, float, bool]:
    """Return from where to where the exact rate lies, and whether it is always below the second."""
    # The highest step takes all that is above it.
    is_highest = rounded.rate + rounded.step > 1 + 1e-9
    high = 1.0 if is_highest else rounded.rate + rounded.step / 2
    return max(0.0, rounded.rate - rounded.step / 2), high, not is_highest
