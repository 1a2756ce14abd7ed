"""Score submissions again, after a change of the ground truth, the grader or the judge."""

import logging
import uuid
from dataclasses import dataclass
from time import monotonic, perf_counter

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from leaderboard.models import (
    AuditEvent,
    Board,
    BoardAction,
    Evaluation,
    RescoringOrder,
    Status,
    Submission,
)
from leaderboard.monitoring import ids
from leaderboard.services import audit, background, engine
from leaderboard.services.errors import StorageAway
from leaderboard.services.files import store
from leaderboard.services.files.read import extract_records, open_runs
from leaderboard.services.files.traces import collector_of, trace_fields
from leaderboard.services.judging.budget import DatabaseLedger
from leaderboard.services.judging.intervals import clustered_interval
from leaderboard.services.judging.judge import JudgeNotSetUp, current_identity, judge_of_board, main_reason
from leaderboard.services.judging.public_verdicts import publish_verdicts, store_used
from leaderboard.services.processes import leases, pulse
from leaderboard.services.publishing import standings
from leaderboard.services.submissions import grade
from wardboard.scoring import registry
from wardboard.scoring.reading.problems import SubmissionInvalid, counted

logger = logging.getLogger(__name__)
_TURN = 300  # seconds: a third of a task's time limit, as the last submission of a turn may take long


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreResult:
    """The outcome of rescoring a leaderboard.

    changed: how many submissions have a new evaluation.
    skipped: id of a submission -> why it has none.
    is_cut: whether the time ran out before the last submission.
    """

    changed: int
    skipped: dict[str, str]
    is_cut: bool = False


def outdated(board: Board) -> QuerySet[Submission]:
    """Select the scored submissions whose score is not by the current revision, grader and judge."""
    return Submission.objects.filter(board=board, status=Status.SCORED).exclude(
        evaluation__revision=board.active_revision,
        evaluation__scorer_version=registry.get(board.benchmark).scorer_version,
        evaluation__judge=current_identity(board),
    )


def rescore(*, board: Board, seconds: float | None = None) -> RescoreResult:
    """Score every scored submission of a leaderboard again, by its current revision and judge.

    Old evaluations are kept; a submission points at its newest. A submission that the new revision cannot
    read (its tasks differ), or that the judge cannot decide, is skipped; its verdicts are stored, so that a
    second run continues from there.

    seconds: no further submission is begun after so long; None for no limit.
    """
    changed, is_cut = 0, False
    skipped: dict[str, str] = {}
    started = monotonic()
    with background.deduplicated_statistics():
        rows = outdated(board).select_related("board__active_revision", "system")
        for submission in rows.iterator():
            if seconds is not None and monotonic() - started > seconds:
                is_cut = True
                break
            try:
                why = _rescore(submission)
            except FileNotFoundError:
                why = "its file is not in the store: bring the uploads back from a backup"
            except StorageAway:
                why = "the storage of uploads did not answer: run it again to go on"
            if why:
                skipped[str(submission.pk)] = why
            else:
                changed += 1
    return RescoreResult(changed=changed, skipped=skipped, is_cut=is_cut)


def order(*, board_id: int) -> bool:
    """Order a worker to rescore a leaderboard; return False if there are no workers.

    The order is kept until it is done. If its job gets lost, `queue_lost_orders` queues another.
    """
    if not settings.WORKERS:
        return False
    orders = RescoringOrder.objects.filter(board=board_id)
    with transaction.atomic():
        RescoringOrder.objects.get_or_create(board_id=board_id)
        orders.update(asked=F("asked") + 1, attempts=0)
        orders.filter(claim=None).update(lease_pulse=pulse.present())
        engine.defer_rescoring(board_id)
    return True


def queue_lost_orders(*, takes_all: bool = False) -> int:
    """Queue again each order that nobody works on; return how many. One that is queued still stays so.

    An order whose worker was killed again and again is dropped, with an ERROR in the log.
    takes_all: queue those too on which a living process works.
    """
    orders = RescoringOrder.objects.select_related("board").order_by("pk")
    if not takes_all:
        orders = orders.filter(lease_pulse__lte=pulse.number() - pulse.LASTS)
    lost = list(orders) if settings.WORKERS else []
    for order in lost:
        unchanged_order = RescoringOrder.objects.filter(
            pk=order.pk, claim=order.claim, lease_pulse=order.lease_pulse
        )
        if order.attempts >= settings.SCORING_ATTEMPTS:
            logger.error("rescoring of %s was interrupted %s times: it is given up", order, order.attempts)
            unchanged_order.delete()
        elif unchanged_order.update(claim=None, lease_pulse=pulse.present()):
            engine.defer_rescoring(order.board_id)
    return len(lost)


def rescore_board(*, board_id: int) -> int:
    """Rescore a leaderboard as a background task; return the number of new evaluations.

    A task is killed after a time limit, so a large leaderboard is rescored in turns, each of which queues
    the next. Does nothing while another worker is at it. Skipped submissions are logged.
    """
    asked = RescoringOrder.objects.get_or_create(board_id=board_id)[0].asked
    orders = RescoringOrder.objects.filter(board=board_id)
    claim, is_free = uuid.uuid4(), Q(claim=None) | leases.has_run_out()
    if not orders.filter(is_free).update(
        claim=claim, lease_pulse=pulse.present(), attempts=F("attempts") + 1
    ):
        return 0
    with leases.holding_row(orders, claim):
        result = _rescore_turn(board_id)
    ours = orders.filter(claim=claim)
    is_done = not (result.is_cut and result.changed) and ours.filter(asked=asked).delete()[0]
    if not is_done and ours.update(claim=None, lease_pulse=pulse.present(), attempts=0):
        engine.defer_rescoring(board_id)
    return result.changed


def _rescore_turn(board_id: int) -> RescoreResult:
    board = Board.objects.select_related("active_revision").get(pk=board_id)
    if not board.is_open:
        return RescoreResult(changed=0, skipped={})
    result = rescore(board=board, seconds=_TURN)
    logger.info("%s: %s submission(s) rescored", board.slug, result.changed)
    for submission, why in result.skipped.items():
        with ids.bound(submission_id=submission):
            logger.warning("%s: submission %s was not rescored: %s", board.slug, submission, why)
    return result


def _rescore(submission: Submission) -> str:
    """Rescore a submission; return why it could not be, or ""."""
    revision = submission.board.ground_truth
    if not store.has_records(submission.stored_as):
        try:
            extract_records(board=submission.board, file_id=submission.stored_as, names=submission.run_names)
        except SubmissionInvalid as error:
            return f"{error.problems.total} problem(s), {error.problems.listed[0].message}"
    if others := count_unknown_tasks(submission, set(revision.file_task_ids)):
        return f"{counted(others, 'record')} of tasks that the new revision has not"
    ledger = DatabaseLedger(submission=submission)
    try:
        judge = judge_of_board(submission.board, ledger)
    except JudgeNotSetUp as error:
        return f"the leaderboard asks an LLM. {error}"
    started, traces = perf_counter(), collector_of(submission)
    scored = grade.grade(submission, revision, judge, traces=traces)
    Submission.objects.filter(pk=submission.pk).update(
        judge_seconds=F("judge_seconds") + (perf_counter() - started), **trace_fields(submission, traces)
    )
    if undecided := scored.undecided:
        why = main_reason(undecided, ledger)
        return f"{counted(sum(undecided.values()), 'answer')} undecided ({why}); run it again to go on"
    return _replace_evaluation(
        submission, grade.build_evaluation(submission, revision, scored, judge), ledger.used
    )


def count_unknown_tasks(submission: Submission, known: set[str]) -> int:
    """Return how many records of a stored file are of none of the tasks `known`."""
    benchmark = registry.get(submission.board.benchmark)
    with open_runs(submission) as files:
        return sum(record.task_id not in known for file in files for record in benchmark.records(file))


@transaction.atomic
def _replace_evaluation(submission: Submission, evaluation: Evaluation, used_verdicts: set[bytes]) -> str:
    """Let a submission have a new evaluation; return why it cannot, or ""."""
    # Lock and read it again: it may have been published or withdrawn while it was rescored.
    rows = Submission.objects.select_for_update(of=("self",)).select_related("board")
    submission = rows.get(pk=submission.pk)
    if submission.board.active_revision_id != evaluation.revision_id:
        return "another revision became active meanwhile: run it again"
    same_inputs = Evaluation.objects.filter(
        submission=submission,
        revision=evaluation.revision,
        scorer_version=evaluation.scorer_version,
        judge=evaluation.judge,
    ).first()
    if same_inputs is not None and same_inputs.pk == submission.evaluation_id:
        return ""  # Someone else rescored it meanwhile: one event is enough.
    if same_inputs is None:
        evaluation.clustered_interval = clustered_interval(evaluation)
        evaluation.save()
    else:
        # An earlier revision is active again: the same inputs gave the same figures.
        evaluation = same_inputs
    submission.evaluation, submission.scored_at = evaluation, evaluation.created_at
    submission.save(update_fields=["evaluation", "scored_at"])
    audit.record(AuditEvent.Action.SCORED, submission=submission, revision=evaluation.revision.number)
    store_used(submission=submission, keys=used_verdicts)
    # The public log mentions published results only.
    if submission.is_published:
        standings.refresh_standing(submission=submission, action=BoardAction.RESCORED)
        publish_verdicts(submission=submission)
    return ""
