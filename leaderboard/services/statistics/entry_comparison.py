"""Compare a result with the entry of its system task by task, before it is published.

Until then, where references are hidden, only the outcome is shown, as Compare shows of published rows at
feedback level overall: at most log2(3) = 1.6 bits beside the rounded score (docs/organisers.md).
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from leaderboard.models import Board, Evaluation, Kind, Standing, Submission
from leaderboard.services import visibility
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules
from leaderboard.services.statistics import disclosure, pair_tests
from leaderboard.services.statistics.p_values import PValue, visible_p
from leaderboard.services.statistics.pair_tests import GroupDifference
from leaderboard.services.statistics.rank_statistics import WhyNot

_SAYS_TOO_LITTLE = frozenset({LeadRule.OPEN, LeadRule.ANSWERS})


class EntryOutcome(StrEnum):
    """How a result compares with the entry: significantly at 5%, two-sided, or not. WORSE by either end."""

    BETTER = "better"
    WORSE = "worse"
    NOT_DIFFERENT = "not-different"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryComparison:
    """A result beside the entry of its system.

    entry: the submission that is the entry; None while nothing of the system is published
    outcome: None where the two are not tested; `explanation` says why
    p: None unless the counts are shown
    groups: breakdown -> differences by group, the result first; empty unless the counts are shown
    """

    explanation: str
    entry: uuid.UUID | None = None
    outcome: EntryOutcome | None = None
    p: PValue | None = None
    groups: Mapping[str, Sequence[GroupDifference]] = field(default_factory=dict)


def compare_with_entry(submission: Submission) -> EntryComparison:
    """Compare a scored submission with the entry of its system. Cheap: one pair of evaluations."""
    board, evaluation = submission.board, submission.evaluation
    rows = Standing.objects.filter(board=board, system=submission.system_id, kind=Kind.RESCORED)
    row = rows.select_related("evaluation").with_submission().first()
    if row is None or row.evaluation is None:
        return EntryComparison(explanation="The system has no published entry on the leaderboard.")
    entry = row.evaluation.submission_id
    if evaluation is None:
        return EntryComparison(entry=entry, explanation="The submission has no score yet.")
    if entry == submission.pk:
        return EntryComparison(entry=entry, explanation="The result is the entry itself.")
    rules = LeadRules.of(board)
    for name, unmet in (("entry", rules.unmet_by(row)), ("result", rules.unmet_by_result(submission))):
        if not _SAYS_TOO_LITTLE.isdisjoint(unmet):
            return EntryComparison(entry=entry, explanation=f"The {name} says too little for a rank.")
    if why_not := _why_not(board, evaluation, row.evaluation):
        explanation = f"They cannot be compared. {why_not.label}"
        if row.evaluation.revision_id != board.active_revision_id:
            explanation += " The entry waits for the organisers to score it again."
        return EntryComparison(entry=entry, explanation=explanation)
    return _tested(submission, evaluation, row.evaluation)


def _why_not(board: Board, evaluation: Evaluation, entry: Evaluation) -> WhyNot | None:
    if {evaluation.revision_id, entry.revision_id} != {board.active_revision_id}:
        return WhyNot.OTHER_REFERENCES
    return WhyNot.OTHER_JUDGE if evaluation.judge != entry.judge and not board.mixes_judges else None


def _tested(submission: Submission, evaluation: Evaluation, entry: Evaluation) -> EntryComparison:
    board = submission.board
    # What depends on how many tasks each file answered is left out, except where tasks are shown anyway.
    is_shown = visibility.is_complete(submission) and not disclosure.needs_coverage(board)
    is_exact = is_shown and visibility.by_group(board)
    test = pair_tests.test_pair(board=board, a=evaluation.pk, b=entry.pk, by_group=is_exact, by_task=False)
    fall = pair_tests.fall_p(board=board, a=evaluation.pk, b=entry.pk) if test.has_open else 1.0
    p = visible_p(min(fall, test.p), is_exact=is_exact)
    outcome = EntryOutcome.BETTER if test.difference > 0 and test.p <= fall else EntryOutcome.WORSE
    return EntryComparison(
        entry=entry.submission_id,
        outcome=outcome if p.is_significant else EntryOutcome.NOT_DIFFERENT,
        explanation="Paired test by task, two-sided, at 5%.",
        p=p,
        groups=disclosure.visible_groups(board, test.groups) if is_exact else {},
    )
