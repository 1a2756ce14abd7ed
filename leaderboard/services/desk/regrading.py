"""Preview what rescoring the published results of a board would change: nothing is stored, no judge is paid.

Where a language model judges, rescoring reuses the verdicts that are stored for the same question, answer,
reference and judge. An answer without one stays *open* here: its score and rank are given as the ends
between which they lie, whichever way it will be decided.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

from django.core.cache import caches

from leaderboard.models import Board, Evaluation, ReferenceRevision, Standing, Submission
from leaderboard.services.desk.preview import RankChange, RankedRow, rank_changes, ranked_rows
from leaderboard.services.errors import StorageAway
from leaderboard.services.judging.budget import ReadOnlyLedger
from leaderboard.services.judging.judge import JudgeNotSetUp, by_judge, is_by, judge_of_board
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.submissions import grade, rescore
from wardboard.scoring import registry

_SECONDS = 8.0  # of grading for one page
_KEPT = 24 * 3600
# Answers that are open now may be judged meanwhile. The ends still hold then, and calls are fewer.
_OPEN_KEPT = 15 * 60
_cache = caches["boards"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regraded:
    """A stored file graded by a revision and the present judge, without a call.

    right, total: answers, of all runs; an open answer is not among those that are right. total: 0 where the
        revision cannot grade the file
    open_answers: for which no verdict is stored, so that the judge would be asked
    calls: that they need at most, apart from repeated ones after an error
    call_cost: of one of them by the prices of the judge, in US dollars
    """

    judge: str
    right: int
    total: int
    open_answers: int = 0
    calls: int = 0
    call_cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegradingPreview:
    """What rescoring every published result against a revision would change.

    - graded: rows that were graded. left: rows for which the time did not suffice; the next call goes on
    - kept: systems whose file cannot be graded by the revision, so that they keep their present row
    - open_rows, open_answers: of the graded rows, those with open answers, and how many these are
    - calls: of the judge that they need at most, apart from repeated ones after an error
    - cost: of these calls in US dollars; None where nothing is known of what a call costs
    - why_no_judge: a reason of JudgeNotSetUp, where rescoring would skip every file; then nothing was graded
    """

    changes: Sequence[RankChange] = ()
    graded: int = 0
    left: int = 0
    kept: Sequence[str] = ()
    open_rows: int = 0
    open_answers: int = 0
    calls: int = 0
    cost: float | None = 0.0
    why_no_judge: str = ""


def preview_revision(board: Board, revision: ReferenceRevision) -> RegradingPreview:
    """Grade the published results against a revision, and return what rescoring would change.

    Grades are kept by process, so that the next call goes on.
    """
    try:
        judge = judge_of_board(board)
    except JudgeNotSetUp as error:
        return RegradingPreview(why_no_judge=error.why)
    identity = judge.identity if judge else ""
    before = ranked_rows(RecordedBoard(board))
    after, graded, left, kept = dict(before), list[Regraded](), 0, list[str]()
    deadline = monotonic() + _SECONDS
    rows = Standing.objects.filter(board=board, evaluation__isnull=False)
    for row in rows.select_related("evaluation__submission__board", "evaluation__submission__system"):
        if row.evaluation is None or row.system_id not in before:
            continue
        submission = row.evaluation.submission
        regraded = _stored_grade(submission, revision, identity)
        if regraded is None:
            if monotonic() > deadline:
                left += 1
                continue
            regraded = _grade(submission, revision, identity)
        if not regraded.total:
            kept.append(row.name)
            continue
        graded.append(regraded)
        after[row.system_id] = _with_grade(before[row.system_id], regraded)
    return RegradingPreview(
        changes=rank_changes(board, before, after),
        graded=len(graded),
        left=left,
        kept=kept,
        open_rows=sum(file.open_answers > 0 for file in graded),
        open_answers=sum(file.open_answers for file in graded),
        calls=sum(file.calls for file in graded),
        cost=_cost(board, graded),
    )


def _with_grade(row: RankedRow, regraded: Regraded) -> RankedRow:
    return replace(
        row,
        judge=row.judge if is_by(row.judge, regraded.judge) else regraded.judge,
        score=regraded.right / regraded.total,
        highest=(regraded.right + regraded.open_answers) / regraded.total,
    )


def _key(submission: Submission, revision: ReferenceRevision, judge: str) -> str:
    version = registry.get(submission.board.benchmark).scorer_version
    return f"regraded:{submission.pk}:{revision.digest}:{version}:{judge}".replace(" ", "-")


def _stored_grade(submission: Submission, revision: ReferenceRevision, judge: str) -> Regraded | None:
    """Return the grade against a revision where it was computed before; None where it was not."""
    scored = (
        Evaluation.objects.filter(
            by_judge(judge),
            submission=submission,
            revision=revision,
            scorer_version=registry.get(submission.board.benchmark).scorer_version,
        )
        .values_list("right", "total")
        .first()
    )
    if scored is not None:
        return Regraded(judge=judge, right=scored[0], total=scored[1])
    kept: Regraded | None = _cache.get(_key(submission, revision, judge))
    return kept


def _grade(submission: Submission, revision: ReferenceRevision, identity: str) -> Regraded:
    """Grade a stored file against a revision by the verdicts that are stored."""
    ledger = ReadOnlyLedger(submission=submission)
    try:
        if rescore.count_unknown_tasks(submission, set(revision.file_task_ids)):
            regraded = Regraded(judge=identity, right=0, total=0)
        else:
            judge = judge_of_board(submission.board, ledger)
            scored = grade.grade(submission, revision, judge, with_set_aside=False)
            open_answers = sum(scored.undecided.values())
            regraded = Regraded(
                judge=identity,
                right=sum(card.overall.right for card in scored.cards),
                total=sum(card.overall.total for card in scored.cards),
                open_answers=open_answers,
                calls=len(ledger.unknown) if open_answers else 0,
                call_cost=ledger.estimate,
            )
    except (FileNotFoundError, StorageAway):
        # Perhaps there again soon, so not kept.
        return Regraded(judge=identity, right=0, total=0)
    _cache.set(_key(submission, revision, identity), regraded, _OPEN_KEPT if regraded.open_answers else _KEPT)
    return regraded


def _cost(board: Board, graded: Sequence[Regraded]) -> float | None:
    """Return what the calls of open answers cost: by the calls so far on the board, else by the prices."""
    calls = sum(file.calls for file in graded)
    if not calls:
        return 0.0
    mean = cost_of_call(board)
    if mean is not None:
        return mean * calls
    # Prices of 0 mean that the model is free or that nobody set them: the cost is then not known.
    return sum(file.calls * file.call_cost for file in graded) or None


def cost_of_call(board: Board) -> float | None:
    """Return the mean cost of a call of the judge on a board, in US dollars; None before the first."""
    spent = Evaluation.objects.filter(submission__board=board).exclude(spending={})
    spending = list(spent.values_list("spending", flat=True))
    calls = sum(entry.get("calls", 0) for entry in spending)
    return sum(entry.get("cost", 0.0) for entry in spending) / calls if calls else None
