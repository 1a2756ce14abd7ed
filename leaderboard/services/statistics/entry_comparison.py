"""Compare a result with the entry of its system: task by task, or by its score while that is rounded.

The test by task reveals more than the rounded score: a file that changes few answers of the entry, and
guesses, has one outcome where the guess is right, and another where it is wrong. So two unpublished files
with equal rounded scores have equal outcomes.
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
from leaderboard.services.visibility import RoundedRate
from wardboard.scoring import registry
from wardboard.scoring.statistics.rates import separate_difference, wilson_interval

_SAYS_TOO_LITTLE = frozenset({LeadRule.OPEN, LeadRule.ANSWERS})


class EntryOutcome(StrEnum):
    """How a result compares with the entry: significantly at 5%, two-sided, or not. WORSE by either end."""

    BETTER = "better"
    WORSE = "worse"
    NOT_DIFFERENT = "not-different"


class EntryTest(StrEnum):
    """How a result is tested against the entry."""

    BY_TASK = "by-task"
    BY_SCORE = "by-score"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryComparison:
    """A result beside the entry of its system.

    entry: the submission that is the entry; None while nothing of the system is published
    test: None where the two are not tested; `explanation` says why
    outcome: None also where a rounded score allows several. p: None unless the counts are shown
    groups: breakdown -> differences by group, the result first; empty unless the counts are shown
    """

    explanation: str
    entry: uuid.UUID | None = None
    test: EntryTest | None = None
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
    result = visibility.visible_result(submission)
    rounded = result.overall if result and isinstance(result.overall, RoundedRate) else None
    return (
        _tested_by_score(board, rounded, row) if rounded else _tested(submission, evaluation, row.evaluation)
    )


def _why_not(board: Board, evaluation: Evaluation, entry: Evaluation) -> WhyNot | None:
    if {evaluation.revision_id, entry.revision_id} != {board.active_revision_id}:
        return WhyNot.OTHER_REFERENCES
    return WhyNot.OTHER_JUDGE if evaluation.judge != entry.judge and not board.mixes_judges else None


def _tested(submission: Submission, evaluation: Evaluation, entry: Evaluation) -> EntryComparison:
    board = submission.board
    # What depends on how many tasks each file answered is left out, except where tasks are shown anyway.
    is_shown = submission.has_exact_score and not disclosure.needs_coverage(board)
    is_exact = is_shown and visibility.by_group(board)
    test = pair_tests.test_pair(board=board, a=evaluation.pk, b=entry.pk, by_group=is_exact, by_task=False)
    fall = pair_tests.fall_p(board=board, a=evaluation.pk, b=entry.pk) if test.has_open else 1.0
    p = visible_p(min(fall, test.p), is_exact=is_exact)
    outcome = EntryOutcome.BETTER if test.difference > 0 and test.p <= fall else EntryOutcome.WORSE
    return EntryComparison(
        entry=entry.submission_id,
        test=EntryTest.BY_TASK,
        outcome=outcome if p.is_significant else EntryOutcome.NOT_DIFFERENT,
        explanation="Paired test by task, two-sided, at 5%.",
        p=p,
        groups=disclosure.visible_groups(board, test.groups) if is_exact else {},
    )


def _tested_by_score(board: Board, rounded: RoundedRate, row: Standing) -> EntryComparison:
    """Compare a rounded score with the entry's by what is shown of both, and by nothing else.

    The outcome is that of every rate that the rounded one may be; None where these have several. Of a score
    over several runs the tasks count, which claims no more than the runs allow. Undecided answers of the
    result are hidden, so they count as wrong; those of the entry count as either, as in the test by task.
    """
    low, high = rounded.ends
    outcomes = {_outcome_of(board, rate, rounded.total - rounded.aside, row) for rate in (low, high)}
    explanation = "Test of two separate scores, two-sided, at 5%, since the result's is rounded."
    if len(outcomes) > 1:
        explanation += (
            f" The outcome cannot be said: the score may be {low:.1%} to {high:.1%}, and it differs between. "
            "Publish the result, which is then tested by task, or ask the organisers, who see exact scores."
        )
    return EntryComparison(
        entry=row.evaluation.submission_id if row.evaluation else None,
        test=EntryTest.BY_SCORE,
        outcome=outcomes.pop() if len(outcomes) == 1 else None,
        explanation=explanation,
    )


def _outcome_of(board: Board, rate: float, tasks: int, row: Standing) -> EntryOutcome:
    """Return how a rate over so many tasks compares with the score of a row, by their 95% intervals."""
    clusters, score = registry.get(board.benchmark).published_clusters, row.score or 0.0
    ends = clusters.interval(rate, tasks) if clusters else wilson_interval(rate * tasks, tasks)
    upper = visibility.upper_end(visibility.ranked_metric(board), score, row.metrics) or score
    of_row = (row.low or 0.0, row.high or 1.0)
    if separate_difference(rate, ends, score, of_row)[1] < 0:
        return EntryOutcome.WORSE
    is_better = separate_difference(rate, ends, upper, of_row)[0] > 0
    return EntryOutcome.BETTER if is_better else EntryOutcome.NOT_DIFFERENT
