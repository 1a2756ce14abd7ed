"""Find files that look as if they were made to learn hidden values from their results.

Such files differ in few answers, or each answers another part of the tasks and they agree where they meet. An
honest agent's runs answer nearly all tasks and differ in many. The runs of one submission are compared too:
those that differ in few answers weigh the verdicts on these in one result.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt

from leaderboard.models import AnswerDigests, Board, ReferenceRevision, Status, Submission
from leaderboard.services import visibility
from leaderboard.services.errors import StorageAway
from leaderboard.services.submissions.digests import digest_stored_records

logger = logging.getLogger(__name__)

LAST = 200  # files that are compared
_SECONDS = 5.0  # for digests of files that have none yet
_FEW = 0.05  # share of the answered tasks in which near-duplicates differ at most
_FEWEST_TASKS = 20  # that two files answer before two differences are few
_PART = 0.75  # share of the tasks that a part answers at most
_AGREE = 0.9  # share of common tasks in which parts agree at least
_FILLER = 0.1  # an answer given to a larger share of a file's tasks counts as no answer
_FEWEST_PARTS = 3
_AT_ONCE = 256  # tasks that are compared before most pairs are known to differ too much

Digests = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarFamily:
    """Files that are similar, directly or through others of the family: of submissions, or runs of one.

    submissions: with system and team, newest first; one where its own runs are similar.
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
    def is_of_runs(self) -> bool:
        """Whether it is of runs of one submission."""
        return len(self.submissions) == 1

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


def find_similar(*, board: Board) -> SimilarFiles:
    """Compare the last scored files of a leaderboard, of its active revision; no reference is read."""
    revision = ReferenceRevision.objects.defer("content").get(pk=board.ground_truth.pk)
    scored = Submission.objects.filter(
        board=board, status=Status.SCORED, evaluation__revision=revision
    ).select_related("board", "team", "system")
    submissions = list(scored.order_by("-received_at").defer("problems", "warnings")[:LAST])
    digests = _read_digests(submissions, revision)
    deadline = monotonic() + _SECONDS
    lacking = [submission for submission in submissions if submission.pk not in digests]
    try:
        while lacking and monotonic() < deadline:
            digest_stored_records(submission=lacking[0], revision=revision)
            del lacking[0]
    except StorageAway as error:
        logger.warning("files without digests are not compared: %s", error)
    digests = _read_digests(submissions, revision)
    compared = [submission for submission in submissions if submission.pk in digests]
    families = _families(board, compared, [digests[submission.pk] for submission in compared])
    return SimilarFiles(families=families, compared=len(compared), left=len(lacking))


def _read_digests(submissions: Sequence[Submission], revision: ReferenceRevision) -> dict[object, Digests]:
    rows = AnswerDigests.objects.filter(submission__in=submissions, revision=revision)
    return {row.submission_id: np.frombuffer(bytes(row.digests), dtype=np.uint16) for row in rows.iterator()}


def _families(
    board: Board, submissions: Sequence[Submission], digests: Sequence[Digests]
) -> list[SimilarFamily]:
    if not digests:
        return []
    tasks = board.ground_truth.task_count
    # There is a row for each file: a submission of several runs has as many.
    table = np.vstack([runs.reshape(-1, tasks) for runs in digests])
    owners = np.repeat(np.arange(len(digests)), [len(runs) // tasks for runs in digests])
    few, parts = similar_pairs(table)
    families = []
    for rows in _components(few | parts):
        has_few, has_parts = (bool(pairs[np.ix_(rows, rows)].any()) for pairs in (few, parts))
        members, runs = np.unique(owners[rows], return_counts=True)
        # For one submission its runs count, for several the submissions.
        size = len(members) if len(members) > 1 else len(rows)
        if size < (2 if has_few else _FEWEST_PARTS):
            continue
        varied = int((table[rows] != table[rows[0]]).any(axis=0).sum())
        outcomes = count_outcomes(board, varied=varied, tasks=tasks, runs=int(runs.max()))
        families.append(
            SimilarFamily(
                submissions=[submissions[member] for member in members.tolist()],
                has_few_differences=has_few,
                has_parts=has_parts,
                varied=varied,
                outcomes=outcomes,
                bits=len(members) * math.log2(outcomes),
            )
        )
    return sorted(families, key=lambda family: -family.bits)


def similar_pairs(table: Digests) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which files of a table (a row each) differ in few answers, and which are parts of one file."""
    count, tasks = table.shape
    given = _shared(table != 0)
    of_row = given.diagonal()
    answered = of_row[:, None] + of_row - given
    most = np.where(answered >= _FEWEST_TASKS, np.maximum(2, np.floor(_FEW * answered)), 0)
    few = _differences(table, most) > 0
    content = np.vstack([row_without_filler(row) for row in table])
    lengths = (content != 0).sum(axis=1)
    of_part = np.flatnonzero((lengths > 0) & (lengths <= _PART * tasks))
    parts = np.zeros((count, count), dtype=np.bool_)
    if len(of_part):
        content, lengths = content[of_part], lengths[of_part]
        common = _shared(content != 0)
        agree = _differences(content, common - np.ceil(_AGREE * common), is_common=True) >= 0
        # The files answer other tasks.
        crossing = (common < lengths[:, None]) | (common < lengths)
        parts[np.ix_(of_part, of_part)] = agree & crossing
    return few, parts


def _shared(is_answered: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return how many tasks each two rows both answer. Exact, as float32 holds whole numbers to 2^24."""
    answered = is_answered.astype(np.float32)
    return (answered @ answered.T).astype(np.int64)


def _differences(table: Digests, most: npt.NDArray[Any], *, is_common: bool = False) -> npt.NDArray[np.int32]:
    """Return in how many tasks each two rows differ, or -1 for a pair that differs in more than `most`.

    is_common: count only tasks that both answer. A pair is given up as soon as it differs too much, as most
    do within a few hundred tasks: comparing all tasks of all pairs of 2,000 rows takes more than a minute.
    """
    count = len(table)
    found = np.full((count, count), -1, dtype=np.int32)
    sections = [
        np.ascontiguousarray(table[:, start : start + _AT_ONCE])
        for start in range(0, table.shape[1], _AT_ONCE)
    ]
    for index in range(count - 1):
        others = np.arange(index + 1, count)
        differing = np.zeros(len(others), dtype=np.int32)
        for section in sections:
            row, rows = section[index], section[others]
            differs = rows != row
            if is_common:
                differs &= (rows != 0) & (row != 0)
            differing += np.count_nonzero(differs, axis=1).astype(np.int32)
            is_left = differing <= most[index, others]
            others, differing = others[is_left], differing[is_left]
            if not len(others):
                break
        found[index, others] = found[others, index] = differing
    return found


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


def count_outcomes(board: Board, *, varied: int, tasks: int, runs: int = 1) -> float:
    """Return how many different results one submission can have if `varied` answers of its runs may change.

    Where results are shown without rounding, but not by task, this is a lower bound: it counts the overall
    results, and does not count that groups of tasks are shown too.
    """
    answers = varied * runs
    if not board.rounding:
        return 2.0 ** min(answers, 1000) if visibility.by_task(board) else answers + 1
    steps = math.floor(100 * varied / (tasks * board.rounding)) + 2
    return min(answers + 1, steps, math.floor(100 / board.rounding) + 1)
