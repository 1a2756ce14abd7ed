"""Score a queued submission: each step is one transaction that can be repeated.

Scoring that waits for a judge is done in slices of time. A slice ends with every answer decided (scored),
with its time up (queued again), or with a judge that cannot go on (incomplete, until the sweep resumes it).
Verdicts are stored one by one, so a killed slice loses no verdict that was paid for.
"""

import logging
import traceback
import uuid
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from time import monotonic, perf_counter
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_noop

from leaderboard.models import AuditEvent, Evaluation, ReferenceRevision, Status, Submission, Team, User, Work
from leaderboard.services import audit, background, turns
from leaderboard.services.errors import NoRoom, QuotaSpent, StorageAway, WrongState
from leaderboard.services.files import store
from leaderboard.services.files.read import extract_records, open_runs
from leaderboard.services.judging.budget import DatabaseLedger, spending_since_evaluation
from leaderboard.services.judging.intervals import clustered_interval
from leaderboard.services.judging.judge import (
    JudgeNotSetUp,
    asks_llm,
    gives_up,
    identity_as_served,
    judge_of_board,
    main_reason,
    resume_in,
)
from leaderboard.services.judging.public_verdicts import store_used
from leaderboard.services.judging.references import references_of, references_set_aside
from leaderboard.services.processes import leases
from leaderboard.services.publishing import publish, standings
from leaderboard.services.submissions.digests import AnswerDigester, has_known_answers, store_digests
from leaderboard.services.visibility import ALL_TASKS
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark, Progress, Reading
from wardboard.scoring.judging import Judge
from wardboard.scoring.runs import ScoredRuns, pool_runs, score_runs
from wardboard.scoring.trace import TraceCollector
from wardboard.scoring.verdicts import Unscorable

logger = logging.getLogger(__name__)

_REPORT_EVERY = 1.0  # seconds

# These are stored with the submission in English; pages translate them.
OUR_FAULT = gettext_noop(
    "Scoring failed because of an error on our side. It costs no quota; submit the same file again to retry."
)
FILE_FAULT = gettext_noop(
    "A value in the file cannot be scored. The file counts against your quota and as a rejected"
    " file; the organisers can see it."
)
NO_END = gettext_noop("Scoring was interrupted several times. It costs no quota; the organisers can see it.")
NO_VERDICT = gettext_noop(
    "The judge gave no usable verdict on some answers, despite several attempts. Because the "
    "judge was paid, the file counts against your quota; the organisers can see it."
)
CHANGED = gettext_noop(
    "The reference answers changed while the file was waiting, and some of its tasks were "
    "removed. It costs no quota; submit the file again."
)


class ScoringSlice:
    """A worker's time on one submission: it reports progress, and may have to end.

    is_lost: the submission was cancelled, or another worker claimed it.
    count_saved: returns how many verdicts this slice has stored. While there are none the slice goes on
        whatever the time: the next one would start from the same point, and never finish.
    """

    def __init__(
        self,
        *,
        submission_id: uuid.UUID,
        claim: uuid.UUID,
        count_saved: Callable[[], int],
    ) -> None:
        self.claim = claim
        self.is_lost = self.is_over = False
        self._submission_id = submission_id
        self._count_saved = count_saved
        self._started = monotonic()
        self._reported = float("-inf")
        self._last: Progress | None = None

    def watch(self, progress: Progress) -> bool:
        """Note `progress`, store it once a second, and return whether to go on."""
        now = monotonic()
        self._last = progress
        if now - self._reported >= _REPORT_EVERY:
            self._reported = now
            self.is_lost = not leases.held(self._submission_id, self.claim).update(progress=asdict(progress))
        is_slice_over = now - self._started > settings.SCORING_SLICE.total_seconds()
        # What a request passes on starts again in the background, where nobody waits.
        self.is_over = background.is_time_up() or (is_slice_over and self._count_saved() > 0)
        return not (self.is_lost or self.is_over)

    def progress_with_undecided(self, undecided: int) -> dict[str, Any] | None:
        """Return the last progress of a slice that left answers undecided; None before any."""
        if self._last is None:
            return None
        judged = max(0, self._last.to_judge - undecided)
        return {**asdict(self._last), "judged": judged, "undecided": undecided}


def is_long(submission: Submission, reading: Reading | None = None) -> bool:
    """Return whether scoring takes longer than a request should wait.

    reading: of its file, which tells better than the size of what was sent; None where it is not known.
    """
    seconds = reading.seconds if reading else 0
    is_large = submission.size_bytes > settings.CHECK_AT_ONCE_BYTES or seconds > settings.REQUEST_SECONDS
    return is_large or asks_llm(submission.board)


def score(*, submission_id: uuid.UUID) -> bool:
    """Score a queued submission, or continue where scoring was interrupted.

    Does nothing for a submission that is not queued (another worker has it, it is scored, or it was
    cancelled). Ends in `scored`, `incomplete`, `queued` (for another slice), or `failed` with a reason for
    the submitter and the traceback in the log. Returns whether it was queued.
    """
    claim, now = uuid.uuid4(), timezone.now()
    queued = Submission.objects.filter(pk=submission_id)
    with transaction.atomic():
        if not queued.become(Status.SCORING, was=Status.QUEUED, claim=claim, moved_at=now, begun_at=now):
            return False
        leases.begin(submission_id)
    score_claimed(submission_id=submission_id, claim=claim)
    return True


def score_claimed(*, submission_id: uuid.UUID, claim: uuid.UUID) -> None:
    """Score a submission that is `scoring` and that the caller has claimed, as `score` does."""
    with leases.holding(submission_id, claim):
        _attempt(submission_id, claim)


def _attempt(submission_id: uuid.UUID, claim: uuid.UUID) -> None:
    try:
        submission = Submission.objects.with_tasks().get(pk=submission_id)
        if submission.work.attempts > 1:
            logger.info("scoring begins again: attempt %s since the last progress", submission.work.attempts)
        if not store.has_records(submission.stored_as):
            extract_records(board=submission.board, file_id=submission.stored_as, names=submission.run_names)
        _score(submission, claim)
    except WrongState as error:
        logger.info("%s", error)
    except turns.TooBusy:
        _leave_for_later(submission_id, claim)
    except Unscorable as error:
        # The check that accepted the value has a bug.
        logger.error("submission %s cannot be scored: %s", submission_id, error)
        fail(submission_id, FILE_FAULT, was=Status.SCORING, claim=claim)
    except (OperationalError, InterfaceError, NoRoom, StorageAway) as error:
        leases.leave(submission_id, claim, error)
    except Exception as error:
        # The file was valid, so the fault is ours. The log gets the traceback without the error's own
        # text, which could quote a reference.
        stack = "".join(traceback.format_tb(error.__traceback__))
        logger.error("scoring of submission %s failed: %s\n%s", submission_id, type(error).__name__, stack)
        if not leases.leave_for_retry(submission_id, claim):
            fail(submission_id, OUR_FAULT, was=Status.SCORING, claim=claim)


def _score(submission: Submission, claim: uuid.UUID) -> None:
    ledger = DatabaseLedger(submission=submission)
    scoring_slice = ScoringSlice(
        submission_id=submission.pk,
        claim=claim,
        count_saved=lambda: ledger.recorded,
    )
    try:
        judge = judge_of_board(submission.board, ledger)
    except JudgeNotSetUp as error:
        _wait(submission, scoring_slice, error.why)
        return
    # Hold it in a variable: another revision may become active while this one is scored against.
    revision = submission.board.ground_truth
    benchmark = registry.get(submission.board.benchmark)
    digester, traces = AnswerDigester(benchmark), TraceCollector(benchmark.trace)
    with background.turn_of_request(turns.scoring):
        started = perf_counter()
        scored = grade(
            submission, revision, judge, watch=scoring_slice.watch, digester=digester, traces=traces
        )
        seconds = perf_counter() - started
    undecided = scored.undecided
    if not undecided and not _lacks_tasks(submission, scored):
        evaluation = build_evaluation(
            submission,
            revision,
            scored,
            identity_as_served(judge, ledger.served, board=submission.board),
            seconds,
        )
        _finish(
            submission,
            evaluation,
            scoring_slice,
            used_verdicts=ledger.used,
            digester=digester,
            seconds=seconds,
            traces=traces,
        )
        return
    leases.held(submission.pk, claim).update(judge_seconds=F("judge_seconds") + seconds)
    if scoring_slice.is_lost:
        return
    if _lacks_tasks(submission, scored):
        fail(submission.pk, CHANGED, was=Status.SCORING, claim=claim)
    elif scoring_slice.is_over:
        _queue_next_slice(submission, scoring_slice)
    else:
        _wait(submission, scoring_slice, main_reason(undecided), sum(undecided.values()))


def _lacks_tasks(submission: Submission, scored: ScoredRuns) -> bool:
    """Return whether the files have records of tasks that are no longer on the board."""
    if submission.count is None or len(scored.cards) < submission.runs:
        return False
    return scored.answered(registry.get(submission.board.benchmark).missing) < submission.count


def grade(
    submission: Submission,
    revision: ReferenceRevision,
    judge: Judge | None,
    *,
    watch: Callable[[Progress], bool] | None = None,
    digester: AnswerDigester | None = None,
    traces: TraceCollector | None = None,
    with_set_aside: bool = True,
) -> ScoredRuns:
    """Grade the stored records of a submission against `revision`.

    digester, traces: take digests and traces of the records on their way.
    with_set_aside: grade also the tasks that the revision sets aside, for the score over all tasks.
    """
    benchmark = registry.get(submission.board.benchmark)
    score = partial(score_runs, benchmark, runs=submission.runs, judge=judge, watch=watch)
    with open_runs(submission) as files:
        records = map(benchmark.records, files)
        for taker in (digester, traces):
            records = records if taker is None else map(taker.pass_on, records)
        scored = score(records, references_of(revision))
    if not (with_set_aside and revision.set_aside):
        return scored
    with open_runs(submission) as files:
        aside = score(map(benchmark.records, files), references_set_aside(revision))
    return replace(scored, aside=aside.cards)


def verdicts_of(benchmark: Benchmark, revision: ReferenceRevision, scored: ScoredRuns) -> bytes:
    """Return the verdicts of all runs as an evaluation has them, each as the number of its reason."""
    return bytes(
        benchmark.reasons.index(run.verdicts[task].reason)
        for run in scored.cards
        for task in revision.task_ids
    )


def build_evaluation(
    submission: Submission,
    revision: ReferenceRevision,
    scored: ScoredRuns,
    judge: str,
    seconds: float = 0.0,
) -> Evaluation:
    """Return the evaluation, unsaved, of scorecards without undecided verdicts.

    seconds: of judging that are not stored yet.
    """
    benchmark = registry.get(submission.board.benchmark)
    spent = spending_since_evaluation(submission.pk)
    spent["seconds"] += seconds
    card = pool_runs(benchmark, scored.cards)
    return Evaluation(
        submission=submission,
        revision=revision,
        scorer_version=benchmark.scorer_version,
        scorer_commit=settings.COMMIT,
        judge=judge,
        runs=card.overall.runs,
        right=card.overall.right,
        total=card.overall.total,
        metrics={**card.metrics, **_over_all_tasks(scored)},
        breakdowns=standings.stored_breakdowns(card.breakdowns),
        group_metrics=standings.stored_group_metrics(card),
        verdicts=verdicts_of(benchmark, revision, scored),
        details=card.details,
        per_run=[
            {
                "right": run.overall.right,
                "total": run.overall.total,
                "metrics": {**run.metrics, **_over_all_tasks(scored, number)},
            }
            for number, run in enumerate(scored.cards)
        ]
        if card.spread
        else None,
        spread=asdict(card.spread) if card.spread else None,
        suspects=list(card.suspects),
        spending={**spent, "seconds": round(spent["seconds"], 3)} if spent["calls"] else {},
        duration_ms=max(0, round(spent["seconds"] * 1000)),
        # In whole seconds: how long grading took depends on the hidden answers.
        created_at=timezone.now().replace(microsecond=0),
    )


def _over_all_tasks(scored: ScoredRuns, run: int | None = None) -> dict[str, float]:
    """Return the metric over all tasks, of a run or of all together; {} where no task is set aside."""
    figure = scored.over_all_tasks(run)
    return {} if figure is None else {ALL_TASKS.key: figure}


def _finish(
    submission: Submission,
    evaluation: Evaluation,
    scoring_slice: ScoringSlice,
    *,
    used_verdicts: set[bytes],
    digester: AnswerDigester,
    seconds: float,
    traces: TraceCollector,
) -> None:
    evaluation.clustered_interval = clustered_interval(evaluation)
    with transaction.atomic():
        # Lock these before the submission, as everywhere: the result may be published, and publications of a
        # person and of the team are counted one by one.
        User.objects.select_for_update(no_key=True).values_list("pk").get(pk=submission.submitted_by_id)
        Team.objects.select_for_update(no_key=True).values_list("pk").get(pk=submission.team_id)
        evaluation.save()
        store_used(submission=submission, keys=used_verdicts)
        store_digests(submission=submission, revision=evaluation.revision, digester=digester)
        # A result whose score may have been known is published as asked, and was not chosen before scoring.
        packed, tasks = digester.packed(evaluation.revision), len(evaluation.revision.task_ids)
        is_known = has_known_answers(submission=submission, packed=packed, tasks=tasks)
        chosen = {"designated": False, "designation": None, "sent_for_publication": False} if is_known else {}
        finished = Submission.objects.filter(pk=submission.pk, claim=scoring_slice.claim).become(
            Status.SCORED,
            was=Status.SCORING,
            evaluation=evaluation,
            scored_at=evaluation.created_at,
            trace=traces.extent or "",
            **chosen,
        )
        if not finished:
            raise WrongState(f"submission {submission.pk} was cancelled or taken over while it was scored")
        Work.objects.filter(pk=submission.pk).update(
            progress=None, judged_by_rules=None, judge_seconds=F("judge_seconds") + seconds
        )
        audit.record(AuditEvent.Action.SCORED, submission=submission, revision=evaluation.revision.number)
        # Ask again: a request to publish it may have come while it was scored.
        if Submission.objects.filter(pk=submission.pk, publish_when_scored=True).exists():
            _put_on_board(submission.pk)


def _put_on_board(submission_id: uuid.UUID) -> None:
    """Publish a result, unless its team may not publish it yet: then it waits, for approval for example."""
    rows = Submission.objects.select_related("board", "system", "submitted_by", "team")
    scored = rows.get(pk=submission_id)
    # No page of the leaderboard shows a result that is not published.
    refused = publish.refusal(scored, by=scored.submitted_by)
    if isinstance(refused, QuotaSpent):
        # Its team decides later whether to publish it, and knows the score then.
        Submission.objects.filter(pk=submission_id).update(sent_for_publication=False)
    elif refused is None and publish.disqualified_twin(scored) is None:
        publish.put_on_board(scored, by=scored.submitted_by)


def _leave_for_later(submission_id: uuid.UUID, claim: uuid.UUID) -> None:
    """Queue a submission that a request claimed and found no turn to score."""
    ours = Submission.objects.filter(pk=submission_id, claim=claim)
    with transaction.atomic():
        if ours.become(Status.QUEUED, was=Status.SCORING):
            Work.objects.filter(pk=submission_id).update(attempts=F("attempts") - 1)
    background.pass_on()


def _queue_next_slice(submission: Submission, scoring_slice: ScoringSlice) -> None:
    queued = Submission.objects.filter(pk=submission.pk, claim=scoring_slice.claim).become(
        Status.QUEUED, was=Status.SCORING, is_long=True
    )
    if queued:
        logger.info("the time of this slice is up: scoring goes on in the next one")
        background.enqueue(submission.pk, is_long=True)


def _wait(submission: Submission, scoring_slice: ScoringSlice, why: str, undecided: int = 0) -> None:
    """Leave a submission incomplete until the sweep resumes it, or fail it after many attempts."""
    work = Work.objects.filter(pk=submission.pk)
    resumed = work.values_list("resumed", flat=True).get()
    after = resume_in(why, resumed)
    if gives_up(why, resumed):
        fail(submission.pk, NO_VERDICT, was=Status.SCORING, claim=scoring_slice.claim)
        return
    with transaction.atomic():
        is_waiting = Submission.objects.filter(pk=submission.pk, claim=scoring_slice.claim).become(
            Status.INCOMPLETE, was=Status.SCORING, waits_for=why, resume_at=timezone.now() + after
        )
        if is_waiting:
            progress = scoring_slice.progress_with_undecided(undecided)
            work.update(progress=progress, resumed=F("resumed") + 1, attempts=0)
            logger.warning("the judge cannot go on: %s, %s answers are undecided", why, undecided)
            audit.record(AuditEvent.Action.INCOMPLETE, submission=submission, why=why)


@transaction.atomic
def fail(
    submission_id: uuid.UUID,
    why: str,
    *,
    was: Status,
    claim: uuid.UUID | None = None,
) -> None:
    """Mark a submission as failed, with the reason `why` for the submitter.

    claim: it must have this claim still; None for one on which nobody works.
    """
    failed = Submission.objects.filter(pk=submission_id, claim=claim).become(
        Status.FAILED, was=was, failure=why
    )
    if failed:
        Work.objects.filter(pk=submission_id).update(judged_by_rules=None)
        logger.warning("submission %s failed: %s", submission_id, why)
        audit.record(AuditEvent.Action.FAILED, submission=Submission.objects.get(pk=submission_id), why=why)
