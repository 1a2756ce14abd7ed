"""Preview what a revision of the references would change: nothing is stored, no judge is paid.

Where a language model judges, rescoring reuses the verdicts that are stored for the same question, answer,
reference and judge. Answers without one count as wrong here, and the preview states how many there are.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from django.core.cache import caches
from django.utils import timezone

from leaderboard.models import Board, Evaluation, Kind, ReferenceRevision, Standing, Submission
from leaderboard.services.boards.census import compared_judge
from leaderboard.services.boards.summary import Summary, SummaryRow, summarise
from leaderboard.services.desk.preview import RankChange, ScoredRow, rank_changes, scored_rows
from leaderboard.services.errors import StorageAway
from leaderboard.services.judging.budget import ReadOnlyLedger
from leaderboard.services.judging.judge import JudgeNotSetUp, by_judge, is_by, judge_of_board
from leaderboard.services.judging.references import changed_tasks
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics.all_pairs import compare_all
from leaderboard.services.statistics.entrants import MOST, Entrant, Entrants, scores_by_verdicts
from leaderboard.services.statistics.rank_statistics import RankStatistics, ReadResults
from leaderboard.services.submissions import grade, rescore
from leaderboard.services.visibility import ranked_metric, upper_end
from wardboard.scoring import registry
from wardboard.scoring.runs import pool_runs

_SECONDS = 8.0  # of grading for one page
_KEPT = 15 * 60  # seconds: answers that are open now may be judged meanwhile
_cache = caches["boards"]

# Right and total answers of all runs, the upper end of the score (None without one), the answers without a
# stored verdict, and the verdicts. Of a file that the revision cannot grade, the total is 0.
_Grade = tuple[int, int, float | None, int, bytes]
_UNGRADED: _Grade = (0, 0, None, 0, b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegradingPreview:
    """What rescoring every published result against a revision would change.

    - graded: rows that were graded. left: rows for which the time did not suffice; the next call goes on
    - kept: systems whose file cannot be graded by the revision, so that they keep their present row
    - open_answers: of the graded rows, those without a stored verdict, which the judge would be asked for
    - published: rows as published with another number of scored rows above them
    - head: what the head of the board would say; None while rows are left or answers open, and for one row
    - why_no_judge: a reason of JudgeNotSetUp, where rescoring would skip every file; then nothing was graded
    """

    changes: Sequence[RankChange] = ()
    graded: int = 0
    left: int = 0
    kept: Sequence[str] = ()
    open_answers: int = 0
    published: int = 0
    head: Summary | None = None
    why_no_judge: str = ""


def preview_revision(board: Board, revision: ReferenceRevision) -> RegradingPreview:
    """Return what rescoring against a revision would change; grades are kept for the next call."""
    try:
        judge = judge_of_board(board)
    except JudgeNotSetUp as error:
        return RegradingPreview(why_no_judge=error.why)
    identity = judge.identity if judge else ""
    before = scored_rows(RecordedBoard(board))
    after, verdicts, left, kept, open_answers = dict(before), dict[int, bytes](), 0, list[str](), 0
    deadline = monotonic() + _SECONDS
    rows = Standing.objects.filter(board=board, evaluation__isnull=False, system__in=before)
    for row in rows.select_related("evaluation__submission__board", "evaluation__submission__system"):
        assert row.evaluation is not None
        submission = row.evaluation.submission
        submission.board = board  # perhaps with a judge that is not saved
        figures = _stored_grade(submission, revision, identity)
        if figures is None and monotonic() > deadline:
            left += 1
            continue
        right, total, upper, undecided, by_task = figures or _grade(submission, revision, identity)
        if not total:
            kept.append(row.name)
            continue
        verdicts[row.system_id], open_answers = by_task, open_answers + undecided
        old = before[row.system_id]
        judge_after = old.judge if is_by(old.judge, identity) else identity
        after[row.system_id] = replace(old, judge=judge_after, score=right / total, upper=upper)
    after = dict(sorted(after.items(), key=lambda item: -item[1].score))
    return RegradingPreview(
        changes=rank_changes(board, before, after),
        graded=len(verdicts),
        left=left,
        kept=kept,
        open_answers=open_answers,
        published=_published_that_move(board, before, after),
        head=None if left or open_answers else _summary_after(board, revision, after, verdicts),
    )


def _published_that_move(board: Board, *tables: Mapping[int, ScoredRow]) -> int:
    """Return how many rows as published have another number of scored rows above them in two tables."""
    was, now = (sorted(row.score for row in rows.values()) for rows in tables)
    scores = Standing.objects.filter(board=board, kind=Kind.REPORTED).values_list("score", flat=True)
    return sum(bisect_right(was, score) != bisect_right(now, score) for score in scores if score is not None)


def _summary_after(
    board: Board,
    revision: ReferenceRevision,
    rows: Mapping[int, ScoredRow],
    verdicts: Mapping[int, bytes],
) -> Summary | None:
    """Return what the tests would say; None where there are fewer than two rows to test.

    rows: of the board by system, best first
    verdicts: of those that are scored by the revision, as an evaluation has them
    """
    judges = Counter(row.judge for row in rows.values() if row.has_rank)
    judge = compared_judge(RecordedBoard(board), judges)
    ranked = {pk: row for pk, row in rows.items() if row.has_rank and judge in (None, row.judge)}
    compared = [Entrant(pk, 0, row.score) for pk, row in ranked.items() if pk in verdicts]
    if not 1 < len(compared) <= MOST:
        return None
    entrants = Entrants(judge=judge or "", compared=compared, uncompared=len(ranked) - len(compared))
    groups, tasks = load_task_groups(board=board, revision_id=revision.pk), len(revision.task_ids)
    of_rows = enumerate(verdicts[row.system] for row in compared)
    scores = scores_by_verdicts(board.benchmark, of_rows, len(compared), tasks)
    tests = compare_all(revision_id=revision.pk, groups=groups, entrants=entrants, scores=scores)
    now = timezone.now()
    claims = RankStatistics(board=board, judge=entrants.judge, computed_at=now, results=ReadResults(tests))
    leader = claims.tied[0]
    uppers = {pk: row.upper or row.score for pk, row in ranked.items()}
    name, score, runs = ranked[leader].name, ranked[leader].score, len(verdicts[leader]) // tasks
    first = SummaryRow(name=name, score=score, upper=uppers.pop(leader), since=now, tasks=tasks, runs=runs)
    ends = max(ranked[pk].score for pk in uppers), max(uppers.values())
    summary = summarise(claims, first, ends, lambda low: [pk for pk, up in uppers.items() if up >= low])
    return replace(summary, judge=judge if len(judges) > 1 else None)


def _key(submission: Submission, revision: ReferenceRevision, judge: str) -> str:
    version = registry.get(submission.board.benchmark).scorer_version
    return f"verdicts:{submission.pk}:{revision.digest}:{version}:{judge}".replace(" ", "-")


def _stored_grade(submission: Submission, revision: ReferenceRevision, judge: str) -> _Grade | None:
    """Return the grade against a revision where it was computed before; None where it was not."""
    version = registry.get(submission.board.benchmark).scorer_version
    scored = Evaluation.objects.filter(
        by_judge(judge), submission=submission, revision=revision, scorer_version=version
    )
    if figures := scored.values_list("right", "total", "metrics", "verdicts").first():
        right, total, metrics, verdicts = figures
        upper = upper_end(ranked_metric(submission.board), right / total, metrics)
        return right, total, upper, 0, bytes(verdicts)
    kept: _Grade | None = _cache.get(_key(submission, revision, judge))
    return kept


def _grade(submission: Submission, revision: ReferenceRevision, identity: str) -> _Grade:
    """Grade a stored file against a revision by the verdicts that are stored."""
    try:
        if rescore.count_unknown_tasks(submission, set(revision.file_task_ids)):
            return _UNGRADED
        judge = judge_of_board(submission.board, ReadOnlyLedger(submission=submission))
        scored = grade.grade(submission, revision, judge, with_set_aside=False)
    except (FileNotFoundError, StorageAway):
        # Perhaps there again soon, so not kept.
        return _UNGRADED
    benchmark = registry.get(submission.board.benchmark)
    card, verdicts = pool_runs(benchmark, scored.cards), grade.verdicts_of(benchmark, revision, scored)
    upper = upper_end(ranked_metric(submission.board), card.overall.rate, card.metrics)
    figures = card.overall.right, card.overall.total, upper, sum(scored.undecided.values()), verdicts
    _cache.set(_key(submission, revision, identity), figures, _KEPT)
    return figures


def difference(old: ReferenceRevision, new: ReferenceRevision) -> Mapping[str, Sequence[str]]:
    """Return the ids of the tasks in which `new` differs from `old`: added, removed and changed ones."""
    before, after = set(old.task_ids), set(new.task_ids)
    return {
        "added": [task for task in new.task_ids if task not in before],
        "removed": [task for task in old.task_ids if task not in after],
        "changed": changed_tasks(old, new),
    }
