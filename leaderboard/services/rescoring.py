"""Scoring again what is scored: after a new ground truth, scorer or judge."""

from dataclasses import dataclass
from time import perf_counter

from django.db import transaction
from django.db.models import F

from leaderboard.models import AuditEvent, Benchmark, Evaluation, Status, Submission
from leaderboard.services import audit, grading, judging, ranking, store
from leaderboard.services.ledger import DatabaseLedger
from leaderboard.services.reading import keep_file
from scoring import registry
from scoring.problems import SubmissionInvalid, counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """changed: how many submissions have a new evaluation. left: submission -> why it has none."""

    changed: int
    left: dict[str, str]


def rescore(*, benchmark: Benchmark) -> Rescored:
    """Score every scored submission of `benchmark` against its active revision, by its judge of today.

    Old evaluations stay as they are; a submission points at its newest. One that the new revision
    cannot read (its tasks are others), or that the judge cannot decide on, is left as it is; what was
    judged of it is kept, so that a second run goes on from there.
    """
    waiting = Submission.objects.filter(benchmark=benchmark, status=Status.SCORED).exclude(
        evaluation__revision=benchmark.active_revision,
        evaluation__scorer_version=registry.get(benchmark.family).scorer_version,
        evaluation__judge=judging.identity_of(benchmark),
    )
    changed, left = 0, {}
    for submission in waiting.select_related("benchmark__active_revision", "system").iterator():
        try:
            why = _rescore(submission)
        except FileNotFoundError:
            why = "its file is not in the store: bring the uploads back from a backup"
        if why:
            left[str(submission.pk)] = why
        else:
            changed += 1
    return Rescored(changed=changed, left=left)


def _rescore(submission: Submission) -> str:
    """Return why it could not be rescored; "" where it was."""
    revision = submission.benchmark.active_revision
    if not store.has_kept(submission.stored_as):
        try:
            keep_file(benchmark=submission.benchmark, file_id=submission.stored_as)
        except SubmissionInvalid as error:
            return f"{error.problems.total} problem(s), {error.problems.listed[0].message}"
    if others := _other_tasks(submission, set(revision.task_ids)):
        return f"{counted(others, 'record')} of tasks that the new revision has not"
    ledger = DatabaseLedger(submission=submission)
    try:
        judge = judging.judge_of(submission.benchmark, ledger)
    except judging.JudgeNotSetUp:
        return "the board asks an LLM, and none is set up (JUDGE_API_KEY or JUDGE_BASE_URL)"
    started = perf_counter()
    card = grading.grade(submission, revision, judge)
    Submission.objects.filter(pk=submission.pk).update(
        judge_seconds=F("judge_seconds") + (perf_counter() - started)
    )
    if card.undecided:
        why = judging.why_undecided(card.undecided, ledger)
        return f"{counted(sum(card.undecided.values()), 'answer')} undecided ({why}); run it again to go on"
    _change_over(submission, grading.evaluation_of(submission, revision, card, judge))
    return ""


def _other_tasks(submission: Submission, known: set[str]) -> int:
    scorer = registry.get(submission.benchmark.family)
    with store.kept(submission.stored_as) as kept:
        return sum(record.task_id not in known for record in scorer.records(kept))


@transaction.atomic
def _change_over(submission: Submission, evaluation: Evaluation) -> None:
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
    Submission.objects.filter(pk=submission.pk, status=Status.SCORED).update(
        evaluation=evaluation, scored_at=evaluation.created_at
    )
    audit.record(AuditEvent.Action.SCORED, submission=submission, revision=evaluation.revision.number)
    ranking.refresh_standing(benchmark=submission.benchmark, system=submission.system)
