"""Scoring again what is scored: after a new ground truth, scorer or judge."""

import logging
from dataclasses import dataclass
from time import monotonic, perf_counter

from django.db import transaction
from django.db.models import F

from leaderboard.models import AuditEvent, Benchmark, BoardAction, Evaluation, Status, Submission
from leaderboard.services import audit, background
from leaderboard.services.files import store
from leaderboard.services.files.read import extract_records
from leaderboard.services.judging import judge as judging
from leaderboard.services.judging.budget import DatabaseLedger
from leaderboard.services.publishing import standings
from leaderboard.services.submissions import grade
from scoring import registry
from scoring.reading.problems import SubmissionInvalid, counted

logger = logging.getLogger(__name__)
_A_TURN = 300  # seconds; a third of what a task may take, as the last submission of a turn takes its time


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """changed: how many submissions have a new evaluation. left: submission -> why it has none. is_cut:
    whether the time was over before all were looked at."""

    changed: int
    left: dict[str, str]
    is_cut: bool = False


def rescore(*, benchmark: Benchmark, seconds: float | None = None) -> Rescored:
    """Score every scored submission of `benchmark` against its active revision, by its judge of today.

    Old evaluations stay as they are; a submission points at its newest. One that the new revision
    cannot read (its tasks are others), or that the judge cannot decide on, is left as it is; what was
    judged of it is kept, so that a second run goes on from there. seconds: after which no other is begun.
    """
    waiting = Submission.objects.filter(benchmark=benchmark, status=Status.SCORED).exclude(
        evaluation__revision=benchmark.active_revision,
        evaluation__scorer_version=registry.get(benchmark.family).scorer_version,
        evaluation__judge=judging.current_identity(benchmark),
    )
    changed, left, is_cut = 0, {}, False
    begun = monotonic()
    with background.deduplicated_statistics():
        for submission in waiting.select_related("benchmark__active_revision", "system").iterator():
            if seconds is not None and monotonic() - begun > seconds:
                is_cut = True
                break
            try:
                why = _rescore(submission)
            except FileNotFoundError:
                why = "its file is not in the store: bring the uploads back from a backup"
            if why:
                left[str(submission.pk)] = why
            else:
                changed += 1
    return Rescored(changed=changed, left=left, is_cut=is_cut)


def rescore_board(*, benchmark_id: int) -> int:
    """Do `rescore` for a worker, which has nobody to tell but its log; return how many have a new evaluation.

    A large board is done in turns, each handed over by the one before, as a task is ended after a while."""
    board = Benchmark.objects.select_related("active_revision").get(pk=benchmark_id)
    if not board.is_open:
        return 0
    done = rescore(benchmark=board, seconds=_A_TURN)
    if done.is_cut and done.changed:
        background.enqueue_rescoring(benchmark_id=benchmark_id)
    logger.info("%s: %s submission(s) scored again", board.slug, done.changed)
    for submission, why in done.left.items():
        logger.warning("%s: %s was left as it is: %s", board.slug, submission, why)
    return done.changed


def _rescore(submission: Submission) -> str:
    """Return why it could not be rescored; "" where it was."""
    revision = submission.benchmark.active_revision
    if not store.has_records(submission.stored_as):
        try:
            extract_records(benchmark=submission.benchmark, file_id=submission.stored_as)
        except SubmissionInvalid as error:
            return f"{error.problems.total} problem(s), {error.problems.listed[0].message}"
    if others := _other_tasks(submission, set(revision.task_ids)):
        return f"{counted(others, 'record')} of tasks that the new revision has not"
    ledger = DatabaseLedger(submission=submission)
    try:
        judge = judging.judge_of_board(submission.benchmark, ledger)
    except judging.JudgeNotSetUp:
        return "the board asks an LLM, and none is set up (JUDGE_API_KEY or JUDGE_BASE_URL)"
    started = perf_counter()
    card = grade.grade(submission, revision, judge)
    Submission.objects.filter(pk=submission.pk).update(
        judge_seconds=F("judge_seconds") + (perf_counter() - started)
    )
    if card.undecided:
        why = judging.why_undecided(card.undecided, ledger)
        return f"{counted(sum(card.undecided.values()), 'answer')} undecided ({why}); run it again to go on"
    _change_over(submission, grade.evaluation_of(submission, revision, card, judge))
    return ""


def _other_tasks(submission: Submission, known: set[str]) -> int:
    scorer = registry.get(submission.benchmark.family)
    with store.open_records(submission.stored_as) as kept:
        return sum(record.task_id not in known for record in scorer.records(kept))


@transaction.atomic
def _change_over(submission: Submission, evaluation: Evaluation) -> None:
    # Locked, and read again: it may have been published or withdrawn while it was scored.
    rows = Submission.objects.select_for_update(of=("self",)).select_related("benchmark")
    submission = rows.get(pk=submission.pk)
    known = Evaluation.objects.filter(
        submission=submission,
        revision=evaluation.revision,
        scorer_version=evaluation.scorer_version,
        judge=evaluation.judge,
    ).first()
    if known is None:
        evaluation.save()
    else:
        # An earlier revision was activated again: the same inputs gave the same figures.
        evaluation = known
    submission.evaluation, submission.scored_at = evaluation, evaluation.created_at
    submission.save(update_fields=["evaluation", "scored_at"])
    audit.record(AuditEvent.Action.SCORED, submission=submission, revision=evaluation.revision.number)
    # The record of a board says nothing of what is not on it.
    if submission.is_published:
        standings.refresh_standing(submission=submission, action=BoardAction.RESCORED)
