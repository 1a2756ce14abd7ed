"""From a queued submission to an evaluation: each step is one transaction that can be taken again.

Scoring that has to wait for a judge is done in slices of time. A slice ends with all decided (scored), with
time over (queued again), or with a judge that cannot go on (incomplete, until the sweep resumes it). What a
judge was paid for is kept verdict by verdict, so a slice that is killed costs nothing but itself.
"""

import logging
import traceback
import uuid
from datetime import datetime
from time import perf_counter

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.models import AuditEvent, Evaluation, JudgeMode, ReferenceRevision, Status, Submission, User
from leaderboard.services import audit, background
from leaderboard.services.background import Task
from leaderboard.services.errors import WrongState
from leaderboard.services.files import store
from leaderboard.services.files.read import extract_records
from leaderboard.services.judging import judge as judging
from leaderboard.services.judging.budget import DatabaseLedger, spending_since_evaluation
from leaderboard.services.judging.references import references_of
from leaderboard.services.publishing import publish
from leaderboard.services.record import events
from leaderboard.services.submissions.slice import Slice
from scoring import registry
from scoring.judging import Judge
from scoring.verdicts import Scorecard

logger = logging.getLogger(__name__)

# Kept with the submission, in English; pages translate them as they show them.
OUR_FAULT = gettext_noop(
    "Scoring stopped through a fault of ours. It costs no quota; send the same file again to retry."
)
NO_END = gettext_noop(
    "Scoring was interrupted several times. It costs no quota; the organisers have been told."
)
NO_VERDICT = gettext_noop(
    "The judge gave no usable verdict on some answers, however often it was asked. As the judge was paid, it "
    "counts for the quota; the organisers have been told."
)
CHANGED = gettext_noop(
    "The ground truth was changed while the file waited, and has no longer all its tasks. It costs no quota; "
    "send the file again."
)


def with_tasks() -> QuerySet[Submission]:
    """Submissions with their board's tasks; the hidden content stays where it is."""
    rows = Submission.objects.select_related("benchmark__active_revision")
    return rows.defer("benchmark__active_revision__content")


def is_long(submission: Submission) -> bool:
    """Whether scoring takes longer than a request should wait for."""
    return _asks_llm(submission) or submission.size_bytes > settings.CHECK_AT_ONCE_BYTES


def _asks_llm(submission: Submission) -> bool:
    family = registry.get(submission.benchmark.family)
    return family.needs_judge and submission.benchmark.judge_mode != JudgeMode.RULES


def score(*, submission_id: uuid.UUID) -> None:
    """Score a queued submission, or go on where scoring was cut off; does nothing when it is not queued
    (another worker has it, it is done, or it was cancelled).

    Ends in `scored`, `incomplete`, `queued` (for another slice), or `failed` with a reason for the
    submitter and the trace in the log.
    """
    claim = uuid.uuid4()
    taken = Submission.objects.filter(pk=submission_id).become(
        Status.SCORING, was=Status.QUEUED, claim=claim, moved_at=timezone.now(), attempts=F("attempts") + 1
    )
    if not taken:
        return
    try:
        submission = with_tasks().get(pk=submission_id)
        if not store.has_records(submission.stored_as):
            extract_records(benchmark=submission.benchmark, file_id=submission.stored_as)
        _score(submission, claim)
    except WrongState as lost:
        logger.info("%s", lost)
    except OperationalError:
        # The database was away for a moment: what is being scored stays so, and the sweep takes it up.
        logger.warning("scoring of submission %s was cut off by the database", submission_id)
    except Exception as error:
        # Whatever it was is ours: the file was found good. Said to the submitter, logged for us: where it
        # happened, without the error's own text, which could quote a reference.
        where = "".join(traceback.format_tb(error.__traceback__))
        logger.error("scoring of submission %s failed: %s\n%s", submission_id, type(error).__name__, where)
        fail(submission_id, OUR_FAULT, was=Status.SCORING, claim=claim)


def _score(submission: Submission, claim: uuid.UUID) -> None:
    ledger = DatabaseLedger(submission=submission)
    piece = Slice(submission_id=submission.pk, claim=claim, kept=lambda: ledger.recorded)
    try:
        judge = judging.judge_of_board(submission.benchmark, ledger)
    except judging.JudgeNotSetUp:
        _wait(submission, piece, judging.NOT_SET_UP)
        return
    # Held: another may be made active while this one is scored against.
    revision = submission.benchmark.active_revision
    started = perf_counter()
    card = grade(submission, revision, judge, watch=piece.watch)
    seconds = perf_counter() - started
    Submission.objects.filter(pk=submission.pk, claim=piece.claim).update(
        judge_seconds=F("judge_seconds") + seconds
    )
    if piece.is_lost:
        return
    if _lacks_tasks(submission, card):
        fail(submission.pk, CHANGED, was=Status.SCORING, claim=claim)
    elif not card.undecided:
        _finish(submission, evaluation_of(submission, revision, card, judge), piece)
    elif piece.is_over:
        _go_on_later(submission, piece)
    else:
        why = judging.why_undecided(card.undecided, ledger)
        _wait(submission, piece, why, sum(card.undecided.values()))


def _lacks_tasks(submission: Submission, card: Scorecard) -> bool:
    """Whether the file holds records of tasks that were not scored: it was checked against other ones."""
    found = sum(verdict.reason != "missing" for verdict in card.verdicts.values())
    return submission.count is not None and found < submission.count


def grade(submission: Submission, revision: ReferenceRevision, judge: Judge | None, watch=None) -> Scorecard:
    """Return the card of what is kept of the submission against `revision`."""
    scorer = registry.get(submission.benchmark.family)
    with store.open_records(submission.stored_as) as kept:
        return scorer.score(scorer.records(kept), references_of(revision), judge=judge, watch=watch)


def evaluation_of(
    submission: Submission, revision: ReferenceRevision, card: Scorecard, judge: Judge | None
) -> Evaluation:
    """Return the evaluation, unsaved, that a card with no undecided verdict gives."""
    scorer = registry.get(submission.benchmark.family)
    spent = spending_since_evaluation(submission.pk)
    return Evaluation(
        submission=submission,
        revision=revision,
        scorer_version=scorer.scorer_version,
        judge=judge.identity if judge else "",
        right=card.overall.right,
        total=card.overall.total,
        metrics=dict(card.metrics),
        breakdowns={
            name: {key: [rate.right, rate.total] for key, rate in groups.items()}
            for name, groups in card.breakdowns.items()
        },
        group_metrics={
            name: {key: dict(figures) for key, figures in groups.items()}
            for name, groups in card.group_metrics.items()
        },
        verdicts=bytes(scorer.reason_code(card.verdicts[task].reason) for task in revision.task_ids),
        details=card.details,
        suspects=list(card.suspects),
        spending={**spent, "seconds": round(spent["seconds"], 3)} if spent["calls"] else {},
        duration_ms=max(0, round(spent["seconds"] * 1000)),
        created_at=timezone.now(),
    )


@transaction.atomic
def _finish(submission: Submission, evaluation: Evaluation, piece: Slice) -> None:
    evaluation.save()
    now = timezone.now()
    finished = Submission.objects.filter(pk=submission.pk, claim=piece.claim).become(
        Status.SCORED,
        was=Status.SCORING,
        evaluation=evaluation,
        claim=None,
        progress=None,
        moved_at=now,
        scored_at=now,
    )
    if not finished:
        raise WrongState(f"submission {submission.pk} was cancelled or taken over while it was scored")
    audit.record(AuditEvent.Action.SCORED, submission=submission, revision=evaluation.revision.number)
    # Read again: that it should be published may have been said while it was scored.
    scored = Submission.objects.select_related("benchmark", "system", "submitted_by").get(pk=submission.pk)
    if scored.publish_when_scored and publish.disqualified_twin(scored) is None:
        publish.put_on_board(scored, by=scored.submitted_by)
    else:
        # The board shows how many files were scored.
        events.touch(benchmark=scored.benchmark)


def _go_on_later(submission: Submission, piece: Slice) -> None:
    queued = Submission.objects.filter(pk=submission.pk, claim=piece.claim).become(
        Status.QUEUED, was=Status.SCORING, claim=None, moved_at=timezone.now()
    )
    if queued:
        background.enqueue(Task.GRADE, submission.pk, is_long=True)


def _wait(submission: Submission, piece: Slice, why: str, undecided: int = 0) -> None:
    """Leave it incomplete until the sweep resumes it, or give it up where that was tried often enough."""
    resumed = Submission.objects.values_list("resumed", flat=True).get(pk=submission.pk)
    after = judging.resume_after(why, resumed)
    if judging.is_given_up(why, resumed):
        fail(submission.pk, NO_VERDICT, was=Status.SCORING, claim=piece.claim)
        return
    now = timezone.now()
    with transaction.atomic():
        left = Submission.objects.filter(pk=submission.pk, claim=piece.claim).become(
            Status.INCOMPLETE,
            was=Status.SCORING,
            claim=None,
            waits_for=why,
            progress=piece.left_undecided(undecided),
            resume_at=now + after if after is not None else None,
            resumed=F("resumed") + 1,
            attempts=0,
            moved_at=now,
        )
        if left:
            audit.record(AuditEvent.Action.INCOMPLETE, submission=submission, why=why)


@transaction.atomic
def fail(
    submission_id: uuid.UUID,
    why: str,
    *,
    was: Status,
    claim: uuid.UUID | None = None,
    seen: datetime | None = None,
) -> None:
    """Give a submission up, with `why` for the submitter. seen: only where it has not moved since."""
    rows = Submission.objects.filter(pk=submission_id, claim=claim)
    failed = (rows.filter(moved_at=seen) if seen else rows).become(
        Status.FAILED,
        was=was,
        claim=None,
        failure=why,
        waits_for="",
        resume_at=None,
        moved_at=timezone.now(),
    )
    if failed:
        audit.record(AuditEvent.Action.FAILED, submission=Submission.objects.get(pk=submission_id), why=why)


def retry(*, submission_id: uuid.UUID, by: User) -> None:
    """Take up a failed or cancelled submission again. WrongState when it is neither."""
    with transaction.atomic():
        submission = with_tasks().select_for_update(of=("self",)).get(pk=submission_id)
        # Nothing is kept of a file that was never checked to its end.
        is_checked = store.has_records(submission.stored_as)
        if submission.status not in (Status.FAILED, Status.CANCELLED):
            raise WrongState(_("Only a failed or cancelled submission can be tried again."))
        Submission.objects.filter(pk=submission_id).become(
            Status.QUEUED if is_checked else Status.RECEIVED,
            was=Status(submission.status),
            failure="",
            attempts=0,
            resumed=0,
            moved_at=timezone.now(),
        )
        audit.record(AuditEvent.Action.RETRIED, actor=by, submission=submission)
    task = Task.GRADE if is_checked else Task.ADMIT
    background.enqueue(task, submission_id, is_long=is_long(submission))


def resume(*, submission_id: uuid.UUID, by: User | None = None) -> bool:
    """Go on with an incomplete submission; returns whether it was one."""
    with transaction.atomic():
        queued = Submission.objects.filter(pk=submission_id).become(
            Status.QUEUED, was=Status.INCOMPLETE, waits_for="", resume_at=None, moved_at=timezone.now()
        )
        if queued and by is not None:
            audit.record(
                AuditEvent.Action.RETRIED, actor=by, submission=Submission.objects.get(pk=submission_id)
            )
    if queued:
        background.enqueue(Task.GRADE, submission_id, is_long=True)
    return bool(queued)
