"""From a received file to an evaluation: each step is one transaction that can be taken again."""

import gzip
import logging
import traceback
import uuid
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from time import perf_counter

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from leaderboard.celery import app as celery
from leaderboard.models import (
    AuditEvent,
    Benchmark,
    Evaluation,
    ReferenceRevision,
    Status,
    Submission,
    Upload,
    User,
)
from leaderboard.models.submissions import PENDING
from leaderboard.services import audit, publishing, ranking
from leaderboard.services.errors import WrongState
from leaderboard.services.references import references_of
from scoring import registry
from scoring.benchmark import Reading
from scoring.problems import Remarks, SubmissionInvalid

logger = logging.getLogger(__name__)

OUR_FAULT = "Scoring stopped through a fault of ours. It costs no quota; send the same file again to retry."
NO_END = "Scoring was interrupted several times. It costs no quota; the organisers have been told."


def admit(*, submission_id: uuid.UUID, raw: bytes, reading: Reading | None = None) -> None:
    """Check a received file: reject it with its report, or queue it (without a broker: score it).

    reading: what the file holds, where the caller has read it.
    """
    submission = _with_tasks().get(pk=submission_id)
    try:
        reading = reading or read(submission.benchmark, raw)
    except SubmissionInvalid as error:
        _reject(submission, error)
        return
    except Exception:
        # The checker's own fault, whatever it was: the row must not be checked again at every sweep.
        logger.exception("checking of submission %s failed", submission_id)
        _fail(submission_id, OUR_FAULT, was=Status.RECEIVED)
        return
    with transaction.atomic():
        admitted = Submission.objects.filter(pk=submission_id).become(
            Status.QUEUED,
            was=Status.RECEIVED,
            moved_at=timezone.now(),
            attempts=0,
            format=reading.format,
            **_listed("warning", reading.warnings),
        )
        if admitted:
            _enqueue_on_commit(submission_id)
    if admitted and not settings.BROKER_URL:
        score(submission_id=submission_id, reading=reading)


def _with_tasks() -> QuerySet[Submission]:
    """Submissions with their board's tasks; the hidden content stays where it is."""
    rows = Submission.objects.select_related("benchmark__active_revision")
    return rows.defer("benchmark__active_revision__content")


def read(benchmark: Benchmark, raw: bytes) -> Reading:
    """Return what the file holds. Raises SubmissionInvalid."""
    return registry.get(benchmark.family).read(
        raw,
        task_ids=benchmark.active_revision.task_ids,
        version=benchmark.version,
        limits=settings.UPLOAD_LIMITS,
    )


def still_rejected(submission: Submission, raw: bytes) -> bool:
    """Whether a rejected file still is (the checks may have been mended since); renews its report."""
    try:
        read(submission.benchmark, raw)
    except SubmissionInvalid as error:
        Submission.objects.filter(pk=submission.pk, status=Status.REJECTED).update(**_report(error))
        return True
    return False


def _enqueue_on_commit(submission_id: uuid.UUID) -> None:
    if settings.BROKER_URL:
        transaction.on_commit(partial(_enqueue, submission_id))


def _enqueue(submission_id: uuid.UUID) -> None:
    try:
        # By name, since tasks sit above services; the message carries the id and nothing else.
        celery.send_task("leaderboard.tasks.grade_submission", args=[str(submission_id)])
    except Exception:
        # A broker that is down costs the submitter nothing: the row stays queued, and the sweep sends again.
        logger.exception("submission %s did not reach the broker; the sweep sends it again", submission_id)


def _listed(name: str, remarks: Remarks) -> dict:
    return {f"{name}s": [remark.as_dict() for remark in remarks.listed], f"{name}_count": remarks.total}


def _report(error: SubmissionInvalid) -> dict:
    return {**_listed("problem", error.problems), **_listed("warning", error.warnings)}


@transaction.atomic
def _reject(submission: Submission, error: SubmissionInvalid) -> None:
    rejected = Submission.objects.filter(pk=submission.pk).become(
        Status.REJECTED, was=Status.RECEIVED, moved_at=timezone.now(), **_report(error)
    )
    if rejected:
        # Its bytes can never be scored; the report stays.
        Upload.objects.filter(submission=submission).delete()
        audit.record(AuditEvent.Action.REJECTED, submission=submission, problems=error.problems.total)


def stored_bytes(submission_id: uuid.UUID) -> bytes:
    """Return the file as it was sent."""
    return gzip.decompress(bytes(Upload.objects.get(submission_id=submission_id).gzipped))


def score(*, submission_id: uuid.UUID, reading: Reading | None = None) -> None:
    """Score a queued submission; does nothing when it is not queued (another worker has it, or it is done).

    Ends in `scored`, or in `failed` with a reason for the submitter and the trace in the log.
    """
    claim = uuid.uuid4()
    taken = Submission.objects.filter(pk=submission_id).become(
        Status.SCORING, was=Status.QUEUED, claim=claim, moved_at=timezone.now(), attempts=F("attempts") + 1
    )
    if not taken:
        return
    try:
        submission = _with_tasks().get(pk=submission_id)
        reading = reading or read(submission.benchmark, stored_bytes(submission_id))
        evaluation = evaluate(submission, submission.benchmark.active_revision, reading)
        _finish(submission, evaluation, claim)
    except Exception as error:
        # Whatever it was is ours: the file was found good. Said to the submitter, logged for us: where it
        # happened, without the error's own text, which could quote a reference.
        where = "".join(traceback.format_tb(error.__traceback__))
        logger.error("scoring of submission %s failed: %s\n%s", submission_id, type(error).__name__, where)
        _fail(submission_id, OUR_FAULT, was=Status.SCORING, claim=claim)


def evaluate(submission: Submission, revision: ReferenceRevision, reading: Reading) -> Evaluation:
    """Grade what was read against `revision`; returns the evaluation unsaved."""
    scorer = registry.get(submission.benchmark.family)
    started = perf_counter()
    card = scorer.score(reading.records, references_of(revision))
    return Evaluation(
        submission=submission,
        revision=revision,
        scorer_version=scorer.scorer_version,
        right=card.overall.right,
        total=card.overall.total,
        metrics=dict(card.metrics),
        breakdowns={
            name: {key: [rate.right, rate.total] for key, rate in groups.items()}
            for name, groups in card.breakdowns.items()
        },
        verdicts=bytes(scorer.reason_code(card.verdicts[task].reason) for task in revision.task_ids),
        duration_ms=round((perf_counter() - started) * 1000),
        created_at=timezone.now(),
    )


@transaction.atomic
def _finish(submission: Submission, evaluation: Evaluation, claim: uuid.UUID) -> None:
    evaluation.save()
    now = timezone.now()
    finished = Submission.objects.filter(pk=submission.pk, claim=claim).become(
        Status.SCORED, was=Status.SCORING, evaluation=evaluation, claim=None, moved_at=now, scored_at=now
    )
    if not finished:
        raise WrongState(f"submission {submission.pk} was taken over while it was scored")
    audit.record(AuditEvent.Action.SCORED, submission=submission, revision=evaluation.revision.number)
    # Read again: that it should be published may have been said while it was scored.
    scored = Submission.objects.select_related("benchmark", "system", "submitted_by").get(pk=submission.pk)
    if scored.publish_when_scored:
        publishing.put_on_board(scored, by=scored.submitted_by)


@transaction.atomic
def _fail(submission_id: uuid.UUID, why: str, *, was: Status, claim: uuid.UUID | None = None) -> None:
    failed = Submission.objects.filter(pk=submission_id, claim=claim).become(
        Status.FAILED, was=was, claim=None, failure=why, moved_at=timezone.now()
    )
    if failed:
        audit.record(AuditEvent.Action.FAILED, submission=Submission.objects.get(pk=submission_id), why=why)


def retry(*, submission_id: uuid.UUID, by: User) -> None:
    """Take up a failed submission again. WrongState when it is not failed."""
    with transaction.atomic():
        queued = Submission.objects.filter(pk=submission_id).become(
            Status.QUEUED, was=Status.FAILED, failure="", attempts=0, moved_at=timezone.now()
        )
        if not queued:
            raise WrongState("Only a failed submission can be tried again.")
        audit.record(AuditEvent.Action.RETRIED, actor=by, submission=Submission.objects.get(pk=submission_id))
        _enqueue_on_commit(submission_id)
    if not settings.BROKER_URL:
        score(submission_id=submission_id)


def sweep(*, older_than: timedelta | None = None) -> int:
    """Take up what lies in a passing state for longer than `older_than` (a killed worker, a lost message).

    Returns how many were taken up. Harmless to run at any time, from several places at once.
    """
    before = timezone.now() - (settings.STALLED_AFTER if older_than is None else older_than)
    stalled = list(Submission.objects.filter(status__in=PENDING, moved_at__lte=before).order_by("moved_at"))
    for submission in stalled:
        try:
            _take_up(submission)
        except Exception:
            # One that cannot be taken up must not keep the others behind it waiting.
            logger.exception("submission %s could not be taken up again", submission.pk)
    return len(stalled)


def _take_up(submission: Submission) -> None:
    if submission.status != Status.QUEUED and submission.attempts >= settings.SCORING_ATTEMPTS:
        logger.error("submission %s was interrupted %s times", submission.pk, submission.attempts)
        _fail(submission.pk, NO_END, was=Status(submission.status), claim=submission.claim)
    elif submission.status == Status.RECEIVED:
        _readmit(submission)
    else:
        _requeue(submission)


def _readmit(submission: Submission) -> None:
    # Counted first: a file that kills whoever checks it is given up too. Of two sweeps one gets it.
    mine = Submission.objects.filter(
        pk=submission.pk, status=Status.RECEIVED, moved_at=submission.moved_at
    ).update(attempts=F("attempts") + 1, moved_at=timezone.now())
    if mine:
        admit(submission_id=submission.pk, raw=stored_bytes(submission.pk))


def _requeue(submission: Submission) -> None:
    if submission.status == Status.SCORING:
        Submission.objects.filter(pk=submission.pk, claim=submission.claim).become(
            Status.QUEUED, was=Status.SCORING, claim=None, moved_at=timezone.now()
        )
    with transaction.atomic():
        # Marked as moved, so that a long queue is not sent again at every sweep.
        waiting = Submission.objects.filter(pk=submission.pk, status=Status.QUEUED)
        if waiting.update(moved_at=timezone.now()):
            _enqueue_on_commit(submission.pk)
    if not settings.BROKER_URL:
        score(submission_id=submission.pk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """changed: how many submissions have a new evaluation. left: submission -> why it has none."""

    changed: int
    left: dict[str, str]


def rescore(*, benchmark: Benchmark) -> Rescored:
    """Score every scored submission of `benchmark` against its active revision.

    Old evaluations stay as they are; a submission points at its newest. One that the new revision
    cannot read (its tasks are others) is left as it is.
    """
    waiting = Submission.objects.filter(benchmark=benchmark, status=Status.SCORED).exclude(
        evaluation__revision=benchmark.active_revision,
        evaluation__scorer_version=registry.get(benchmark.family).scorer_version,
    )
    changed, left = 0, {}
    for submission in waiting.select_related("benchmark", "system").iterator():
        try:
            reading = read(benchmark, stored_bytes(submission.pk))
        except SubmissionInvalid as error:
            left[str(submission.pk)] = (
                f"{error.problems.total} problem(s), {error.problems.listed[0].message}"
            )
            continue
        _change_over(submission, evaluate(submission, benchmark.active_revision, reading))
        changed += 1
    return Rescored(changed=changed, left=left)


@transaction.atomic
def _change_over(submission: Submission, evaluation: Evaluation) -> None:
    known = Evaluation.objects.filter(
        submission=submission, revision=evaluation.revision, scorer_version=evaluation.scorer_version
    ).first()
    if known is None:
        evaluation.save()
    else:
        # An earlier revision was activated again: the same inputs gave the same figures.
        evaluation = known
    Submission.objects.filter(pk=submission.pk, status=Status.SCORED).update(
        evaluation=evaluation, scored_at=evaluation.created_at
    )
    audit.record(AuditEvent.Action.SCORED, submission=submission, revision=evaluation.revision.number)
    ranking.refresh_standing(benchmark=submission.benchmark, system=submission.system)
