"""Count why the wrong answers of a result are wrong, by type of task.

What may be shown of it is decided here, because reasons tell more of the references than right and wrong do
(docs/security.md): at the levels that show types, of the first result alone that a team published on the
leaderboard, over types of 20 tasks or more, and in coarse counts. Where the references are public, all is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.models import Board, BoardAction, BoardEvent, Evaluation, Submission
from leaderboard.services import visibility
from leaderboard.services.judging.senders import of_same_senders
from leaderboard.services.judging.task_groups import load_task_groups
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark, Breakdown
from wardboard.scoring.statistics.coarse_counts import coarse_counts
from wardboard.scoring.verdicts import Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFailures:
    """Why answers to the tasks of a group are wrong.

    wrong: how many are not right, as its visible rate has it
    counts: what is wrong, in English -> number of answers, the highest first
    rest: how many more are wrong, for these reasons or for others
    """

    label: str
    wrong: int
    counts: Mapping[str, int]
    rest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureTable:
    """Failures by group of one breakdown.

    is_exact: whether counts are exact; else each may be up to four higher
    has_open: whether the judge left answers open, which count as not right
    is_withheld: whether another result of its team is the one whose failures are shown; there are no groups
    """

    breakdown: Breakdown
    groups: Sequence[GroupFailures] = ()
    is_exact: bool = False
    has_open: bool = False
    is_withheld: bool = False


def failures_of(board: Board, evaluation: Evaluation) -> FailureTable | None:
    """Return the visible failures of a published result, with its revision; None where there are none."""
    benchmark = registry.get(board.benchmark)
    breakdown = next((item for item in benchmark.breakdowns if item.key == benchmark.strata), None)
    if breakdown is None or not benchmark.failures or not visibility.by_group(board):
        return None
    if not visibility.are_references_public(board) and not _is_first_of_team(board, evaluation):
        return FailureTable(breakdown=breakdown, is_withheld=True)
    groups = _groups(board, benchmark, breakdown, evaluation)
    # Rests alone say no more than the rates beside them.
    if not any(group.counts for group in groups):
        return None
    metric = visibility.ranked_metric(board)
    has_open = visibility.upper_end(metric, evaluation.rate.rate, evaluation.metrics) is not None
    return FailureTable(
        breakdown=breakdown,
        groups=groups,
        is_exact=visibility.are_references_public(board),
        has_open=has_open,
    )


def _is_first_of_team(board: Board, evaluation: Evaluation) -> bool:
    """Return whether nothing of its team, or of who sent it, was published on the leaderboard before.

    By the record, which never changes: a result that is withdrawn and published again has a later date. What
    its team handed over counts too: another one would become the first.
    """
    columns = Submission.objects.only("team", "from_team", "submitted_by")
    published = BoardEvent.objects.filter(
        of_same_senders(columns.get(pk=evaluation.submission_id), "submission__"),
        board=board,
        action=BoardAction.PUBLISHED,
    )
    first = published.order_by("number").values_list("submission", flat=True).first()
    return first == evaluation.submission_id


def _groups(
    board: Board, benchmark: Benchmark, breakdown: Breakdown, evaluation: Evaluation
) -> list[GroupFailures]:
    rates = visibility.visible_groups(board, evaluation.breakdowns, runs=evaluation.runs)[breakdown.key]
    numbers = load_task_groups(board=board, revision_id=evaluation.revision_id)
    group_of_task = numbers.breakdowns[breakdown.key]
    codes = np.frombuffer(bytes(evaluation.verdicts), dtype=np.uint8).reshape(evaluation.runs, -1)
    groups = []
    for number, (key, label) in enumerate(breakdown.groups.items()):
        rate = rates.get(key)
        if not isinstance(rate, Rate) or rate.right == rate.total:
            continue
        if not visibility.are_references_public(board) and rate.total // rate.runs < visibility.FEWEST_TASKS:
            continue
        # Rates of several runs are of all their answers, or of whole tasks where references are hidden.
        counts = _count(benchmark, codes[:, group_of_task == number], evaluation.runs // rate.runs)
        shown = counts if visibility.are_references_public(board) else coarse_counts(counts)
        ordered = {kind: count for kind, count in sorted(shown.items(), key=lambda item: -item[1]) if count}
        wrong = rate.total - rate.right
        groups.append(
            GroupFailures(label=label, wrong=wrong, counts=ordered, rest=wrong - sum(ordered.values()))
        )
    return groups


def _count(benchmark: Benchmark, codes: npt.NDArray[np.uint8], runs: int) -> dict[str, int]:
    """Return what can be wrong -> number of answers, of several runs the mean, rounded down."""
    counts = Counter[str]()
    for code, number in zip(*np.unique(codes, return_counts=True), strict=True):
        if kind := benchmark.failures.get(benchmark.reasons[int(code)]):
            counts[kind] += int(number)
    return {kind: counts[kind] // runs for kind in dict.fromkeys(benchmark.failures.values())}
