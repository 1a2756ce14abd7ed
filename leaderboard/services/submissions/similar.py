"""Find files that look as if they were made to learn hidden values from their results.

Such files differ in few answers, or each answers another part of the tasks and they agree where they meet. An
honest agent's runs answer nearly all tasks and differ in many.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
import numpy.typing as npt

from leaderboard.models import AnswerDigests, Benchmark, Feedback, ReferenceRevision, Status, Submission
from leaderboard.services.errors import StorageAway
from leaderboard.services.submissions.digests import digest_stored_records

logger = logging.getLogger(__name__)

LAST = 200  # files that are compared
_SECONDS = 5.0  # for digests of files that have none yet
_FEW = 0.05  # share of the answered tasks in which near-duplicates differ at most
_FEWEST_TASKS = 20  # that two files answer before two differences are few
_PART = 0.75  # share of the tasks that a part answers at most
_AGREE = 0.9  # share of common tasks in which parts agree at least
_FILLER = 0.1  # an answer given to a larger share of a file's tasks stands for none
_FEWEST_PARTS = 3

Digests = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarFamily:
    """Files that are similar, directly or through others of the family.

    submissions: with system and team, newest first.
    has_few_differences, has_parts: how they are similar.
    varied: tasks in which not all of them agree.
    outcomes: results that a submitter could tell apart, at most.
    bits: what all results of the family tell at most, before any is published.
    """

    submissions: Sequence[Submission]
    has_few_differences: bool
    has_parts: bool
    varied: int
    outcomes: float
    bits: float

    @property
    def teams(self) -> int:
        return len({submission.team_id for submission in self.submissions})


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarFiles:
    """The families among the last files of a leaderboard, those that tell most first.

    compared: how many files were compared. left: files that have no digests yet.
    """

    families: Sequence[SimilarFamily]
    compared: int
    left: int


def find_similar(*, benchmark: Benchmark, last: int = LAST) -> SimilarFiles:
    """Compare the last scored files of a leaderboard, of its active revision; no reference is read."""
    revision = ReferenceRevision.objects.defer("content").get(pk=benchmark.ground_truth.pk)
    scored = Submission.objects.filter(
        benchmark=benchmark, status=Status.SCORED, evaluation__revision=revision
    ).select_related("benchmark", "team", "system")
    submissions = list(scored.order_by("-received_at").defer("problems", "warnings")[:last])
    known = _known(submissions, revision)
    deadline = monotonic() + _SECONDS
    lacking = [submission for submission in submissions if submission.pk not in known]
    try:
        while lacking and monotonic() < deadline:
            digest_stored_records(submission=lacking[0], revision=revision)
            del lacking[0]
    except StorageAway as error:
        logger.warning("files without digests are not compared: %s", error)
    known = _known(submissions, revision)
    compared = [submission for submission in submissions if submission.pk in known]
    families = _families(benchmark, compared, [known[submission.pk] for submission in compared])
    return SimilarFiles(families=families, compared=len(compared), left=len(lacking))


def _known(submissions: Sequence[Submission], revision: ReferenceRevision) -> dict[object, Digests]:
    rows = AnswerDigests.objects.filter(submission__in=submissions, revision=revision)
    return {row.submission_id: np.frombuffer(bytes(row.digests), dtype=np.uint16) for row in rows.iterator()}


def _families(
    benchmark: Benchmark, submissions: Sequence[Submission], digests: Sequence[Digests]
) -> list[SimilarFamily]:
    if not digests:
        return []
    tasks = benchmark.ground_truth.task_count
    # A row for each file; a submission of several runs has as many.
    table = np.vstack([runs.reshape(-1, tasks) for runs in digests])
    owners = np.repeat(np.arange(len(digests)), [len(runs) // tasks for runs in digests])
    few, parts = similar_pairs(table)
    # The runs of a submission are of one system and have one result: they tell nothing by comparison.
    others = owners[:, None] != owners[None, :]
    few, parts = few & others, parts & others
    found = []
    for rows in _components(few | parts):
        has_few, has_parts = (bool(pairs[np.ix_(rows, rows)].any()) for pairs in (few, parts))
        members = np.unique(owners[rows]).tolist()
        if len(members) < (2 if has_few else _FEWEST_PARTS):
            continue
        varied = int((table[rows] != table[rows[0]]).any(axis=0).sum())
        outcomes = count_outcomes(benchmark, varied=varied, tasks=tasks)
        found.append(
            SimilarFamily(
                submissions=[submissions[member] for member in members],
                has_few_differences=has_few,
                has_parts=has_parts,
                varied=varied,
                outcomes=outcomes,
                bits=len(members) * math.log2(outcomes),
            )
        )
    return sorted(found, key=lambda family: -family.bits)


def similar_pairs(table: Digests) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which files of a table (a row each) differ in few answers, and which are parts of one file."""
    count, tasks = table.shape
    few, parts = (np.zeros((count, count), dtype=np.bool_) for _ in range(2))
    is_answered = np.vstack([row_without_filler(row) != 0 for row in table])
    is_part = (is_answered.sum(axis=1) > 0) & (is_answered.sum(axis=1) <= _PART * tasks)
    for index, row in enumerate(table):
        differing = (table != row).sum(axis=1)
        answered = ((table != 0) | (row != 0)).sum(axis=1)
        most = np.where(answered >= _FEWEST_TASKS, np.maximum(2, _FEW * answered), 0)
        few[index] = (differing > 0) & (differing <= most)
        common = is_answered & is_answered[index]
        agreeing = (common & (table == row)).sum(axis=1)
        crossing = (is_answered != is_answered[index]).any(axis=1)
        parts[index] = is_part & is_part[index] & crossing & (agreeing >= _AGREE * common.sum(axis=1))
    return few, parts


def row_without_filler(row: Digests) -> Digests:
    """Return a file's digests with zeros for the answers that it gives to many tasks."""
    values, counts = np.unique(row[row != 0], return_counts=True)
    fillers = values[counts > max(2, _FILLER * len(row))]
    return np.where(np.isin(row, fillers), 0, row).astype(np.uint16)


def _components(linked: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Return the groups of two or more indices that are linked, directly or through others."""
    left = set(range(len(linked)))
    groups = []
    while left:
        group, front = set[int](), {left.pop()}
        while front:
            member = front.pop()
            group.add(member)
            neighbours = set(np.flatnonzero(linked[member]).tolist()) & left
            left -= neighbours
            front |= neighbours
        if len(group) > 1:
            groups.append(sorted(group))
    return groups


def count_outcomes(benchmark: Benchmark, *, varied: int, tasks: int) -> float:
    """Return how many different results one file can have if `varied` of its answers may change.

    Where results are shown without rounding, but not by task, this is a lower bound: it counts the overall
    results, and does not count that groups of tasks are shown too.
    """
    if not benchmark.rounding:
        return 2.0 ** min(varied, 1000) if benchmark.feedback == Feedback.BY_TASK else varied + 1
    steps = math.floor(100 * varied / (tasks * benchmark.rounding)) + 2
    return min(varied + 1, steps, math.floor(100 / benchmark.rounding) + 1)
