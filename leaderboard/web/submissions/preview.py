"""What publishing a result would do: its rank, its row, and whether it becomes the system's entry."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.models import Submission
from leaderboard.services.boards import ranks
from leaderboard.services.publishing.publish import would_be_entry
from leaderboard.services.rows.lead_rules import LeadRules
from leaderboard.services.visibility import VisibleResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The row of an unpublished result, as far as its team may know it.

    best, worst: its rank lies between, whatever its score is within the rounding.
    systems: number of systems that it would be ranked among, with itself.
    unmet: what the leaderboard asks for, and this result lacks, for a rank.
    is_entry: whether the row would show this result; another published one of the system stays otherwise.
    """

    best: int
    worst: int
    systems: int
    unmet: Sequence[str]
    is_entry: bool


def preview_of(submission: Submission, result: VisibleResult) -> Preview:
    """Return the preview of an unpublished result from the score that is visible, and from nothing else."""
    best, worst, systems = ranks.ranks_of_result(result, submission.board, system=submission.system_id)
    rules = LeadRules.of(submission.board)
    unmet = [rules.sentences[rule] for rule in rules.unmet_by_result(submission)]
    return Preview(best=best, worst=worst, systems=systems, unmet=unmet, is_entry=would_be_entry(submission))
