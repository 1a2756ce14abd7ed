"""Score submissions again, after a change of the ground truth, the grader or the judge.

Another revision becomes active only when every result has its score by it: `activate` scores all of them
beside their present scores, and `switch_to` activates the revision and changes the rows in one transaction.
So the public table is always of one revision.
"""

import logging
import uuid
from collections.abc import Sequence
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
    ReferenceRevision,
    RescoringOrder,
    Status,
    Submission,
    User,
    Work,
)
from leaderboard.monitoring import ids
from leaderboard.services import audit, background
from leaderboard.services.errors import StorageAway, WrongState
from leaderboard.services.files import store
from leaderboard.services.files.read import extract_records, open_runs
from leaderboard.services.judging.budget import DatabaseLedger
from leaderboard.services.judging.intervals import clustered_interval
from leaderboard.services.judging.judge import (
    JudgeNotSetUp,
    by_judge,
    current_identity,
    identity_as_served,
    judge_of_board,
    main_reason,
)
from leaderboard.services.judging.public_verdicts import publish_verdicts, store_used, used_by
from leaderboard.services.processes import leases
from leaderboard.services.publishing import standings
from leaderboard.services.publishing.import_references import activate_revision, misfit_of
from leaderboard.services.publishing.standings import lock_systems
from leaderboard.services.submissions import grade
from wardboard.scoring import registry
from wardboard.scoring.reading.problems import SubmissionInvalid, counted
from wardboard.scoring.trace import TraceCollector

logger = logging.getLogger(__name__)
_TURN = 300  # seconds: a third of a task's time limit, as the last submission of a turn may take long


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreResult:
    """The outcome of rescoring a leaderboard.

    changed: how many submissions have a new evaluation. skipped: id of a submission -> why it has none.
    unreadable: how many of these the revision can never score, so that trying again does not help.
    is_cut: whether the time ran out before the last submission.
    """

    changed: int
    skipped: dict[str, str]
    unreadable: int = 0
    is_cut: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every submission that can be scored was."""
        return not self.is_cut and len(self.skipped) == self.unreadable


class _Skipped(Exception):
    """Why a submission cannot be scored. is_for_good: whether the revision can never score it."""

    def __init__(self, why: str, *, is_for_good: bool = False) -> None:
        super().__init__(why)
        self.is_for_good = is_for_good


def outdated(board: Board) -> QuerySet[Submission]:
    """Select the scored submissions whose score is not by the current revision, grader and judge."""
    return Submission.objects.filter(board=board, status=Status.SCORED).exclude(
        by_judge(current_identity(board), "evaluation__judge"),
        evaluation__revision=board.active_revision,
        evaluation__scorer_version=registry.get(board.benchmark).scorer_version,
    )


def rescore(*, board: Board, seconds: float | None = None) -> RescoreResult:
    """Score every scored submission of a leaderboard again, by its current revision and judge.

    Old evaluations are kept; a submission points at its newest. A submission that the new revision cannot
    read (its tasks differ), or that the judge cannot decide, is skipped; its verdicts are stored, so that a
    second run continues from there.

    seconds: no further submission is begun after so long; None for no limit.
    """
    return _for_each(outdated(board), board.ground_truth, seconds)


def unscored(board: Board, revision: ReferenceRevision) -> QuerySet[Submission]:
    """Select the scored submissions without a score by `revision` and the current grader and judge."""
    return Submission.objects.filter(board=board, status=Status.SCORED).exclude(
        pk__in=scores_by(board, revision).values("submission")
    )


def activate(
    *, revision: ReferenceRevision, was: int | None, by: User, seconds: float
) -> RescoreResult | None:
    """Score every result by a stored revision, and then activate it; return None if a worker does it.

    Without workers it takes `seconds` at most, and the next call goes on. The result says whether it is
    complete; the revision is active only then.

    was: the key of the revision that the caller took for the active one. Raises WrongState if another is.
    """
    board = Board.objects.select_related("active_revision").get(pk=revision.board_id)
    result = RescoreResult(changed=0, skipped={})
    if misfit := misfit_of(board, revision):
        raise WrongState(misfit)
    # A stale request must not order anything; `switch_to` checks it again.
    if board.active_revision_id == was and unscored(board, revision).exists():
        if order(board_id=board.pk, revision=revision, by=by):
            audit.record(AuditEvent.Action.RESCORING_ORDERED, actor=by, board=board, revision=revision.number)
            return None
        result = _for_each(unscored(board, revision), revision, seconds)
    if result.is_complete:
        switch_to(revision=revision, was=was, by=by)
    return result


def switch_to(*, revision: ReferenceRevision, was: int | None, by: User | None) -> None:
    """Activate a revision, and change every result that has a score by it, in one transaction.

    The others keep their scores. The audit log has one line of it, with the number of changed results.
    Raises WrongState if `was` is not the active revision.
    """
    rows = Submission.objects.filter(board=revision.board_id, status=Status.SCORED).order_by("pk")
    with background.deduplicated_statistics(), transaction.atomic():
        # Lock submissions, then systems, then the board, as everywhere.
        locked = list(rows.select_for_update(of=("self",)).values_list("pk", "system", "evaluation"))
        lock_systems(pk__in={system for _, system, _ in locked})
        board = Board.objects.without_references().get(pk=revision.board_id)
        stored = scores_by(board, revision).defer("verdicts", "details")
        scores = {score.submission_id: score for score in stored}
        changed = {pk for pk, _, now in locked if pk in scores and now != scores[pk].pk}
        activate_revision(revision=revision, was=was, by=by, results=len(changed))
        others = rows.select_related("board").defer("problems", "warnings")
        _point_at([(one, scores[one.pk]) for one in others if one.pk in changed])


def scores_by(board: Board, revision: ReferenceRevision) -> QuerySet[Evaluation]:
    """Select the scores of a board by a revision and the current grader and judge."""
    return Evaluation.objects.filter(
        by_judge(current_identity(board)),
        submission__board=board,
        revision=revision,
        scorer_version=registry.get(board.benchmark).scorer_version,
    )


def _for_each(
    rows: QuerySet[Submission], revision: ReferenceRevision, seconds: float | None
) -> RescoreResult:
    changed, unreadable, is_cut = 0, 0, False
    skipped: dict[str, str] = {}
    started = monotonic()
    with background.deduplicated_statistics():
        for submission in rows.select_related("board__active_revision", "system").iterator():
            if seconds is not None and monotonic() - started > seconds:
                is_cut = True
                break
            try:
                _store_score(submission, revision=revision)
                changed += 1
            except _Skipped as error:
                skipped[str(submission.pk)] = str(error)
                unreadable += error.is_for_good
            except FileNotFoundError:
                why = "its file is not in the store: bring the uploads back from a backup"
                skipped[str(submission.pk)] = why
            except StorageAway:
                why = "the storage of uploads did not answer: run it again to go on"
                skipped[str(submission.pk)] = why
    return RescoreResult(changed=changed, skipped=skipped, unreadable=unreadable, is_cut=is_cut)


def order(*, board_id: int, revision: ReferenceRevision | None = None, by: User | None = None) -> bool:
    """Order a worker to rescore a leaderboard; return False if there are no workers.

    The order is kept until it is done.

    revision: to activate once every result has its score by it; `by` is who asks for it
    """
    if not settings.WORKERS:
        return False
    orders = RescoringOrder.objects.filter(board=board_id)
    with transaction.atomic():
        RescoringOrder.objects.get_or_create(board_id=board_id)
        orders.update(asked=F("asked") + 1, attempts=0)
        if revision is not None:
            orders.update(revision=revision, ordered_by=by)
    return True


def work_on_order() -> bool:
    """Work for a while on an order that nobody works on; return whether there is any.

    A process is killed after a time limit, so a large leaderboard is rescored in turns. Skipped submissions
    are logged. An order whose worker was killed again and again is dropped, with an ERROR in the log.
    """
    is_free = Q(claim=None) | leases.has_run_out()
    free = RescoringOrder.objects.select_related("board").filter(is_free).order_by("leased_until", "pk")
    if (order := free.first()) is None:
        return False
    row, claim = RescoringOrder.objects.filter(pk=order.pk), uuid.uuid4()
    if order.attempts >= settings.SCORING_ATTEMPTS:
        logger.error("rescoring of %s was interrupted %s times: it is given up", order, order.attempts)
        row.filter(claim=order.claim, leased_until=order.leased_until).delete()
    elif row.filter(is_free).update(claim=claim, leased_until=leases.until(), attempts=F("attempts") + 1):
        ours = row.filter(claim=claim)
        with leases.holding_row(ours, claim):
            result = _rescore_turn(order.board_id, ours)
        is_done = not (result.is_cut and result.changed) and ours.filter(asked=order.asked).delete()[0]
        if not is_done:
            ours.update(claim=None, leased_until=leases.until(), attempts=0)
    return True


def _rescore_turn(board_id: int, ours: QuerySet[RescoringOrder]) -> RescoreResult:
    board = Board.objects.select_related("active_revision").get(pk=board_id)
    if not board.is_open:
        return RescoreResult(changed=0, skipped={})
    ordered = ours.filter(revision__isnull=False).select_related("revision", "ordered_by").first()
    if ordered is None or ordered.revision is None:
        result = rescore(board=board, seconds=_TURN)
    else:
        result = _for_each(unscored(board, ordered.revision), ordered.revision, _TURN)
        if result.is_complete:
            _switch_as_ordered(ordered, ours)
    logger.info("%s: %s submission(s) rescored", board.slug, result.changed)
    for submission, why in result.skipped.items():
        with ids.bound(submission_id=submission):
            logger.warning("%s: submission %s was not rescored: %s", board.slug, submission, why)
    return result


def _switch_as_ordered(ordered: RescoringOrder, ours: QuerySet[RescoringOrder]) -> None:
    """Activate the revision of an order, unless the order has another one by now, or is another worker's."""
    if ordered.revision is None or not ours.filter(revision=ordered.revision).exists():
        return
    was = Board.objects.values_list("active_revision", flat=True).get(pk=ordered.board_id)
    try:
        switch_to(revision=ordered.revision, was=was, by=ordered.ordered_by)
    except WrongState as error:
        logger.warning("%s: %s", ordered, error.detail)


def _score(submission: Submission, revision: ReferenceRevision) -> tuple[Evaluation, set[bytes]]:
    """Score a submission; return its evaluation, unsaved, and the keys of verdicts used. Raises _Skipped."""
    if not store.has_records(submission.stored_as):
        try:
            extract_records(board=submission.board, file_id=submission.stored_as, names=submission.run_names)
        except SubmissionInvalid as error:
            why = f"{error.problems.total} problem(s), {error.problems.listed[0].message}"
            raise _Skipped(why, is_for_good=True) from error
    if others := count_unknown_tasks(submission, set(revision.file_task_ids)):
        why = f"{counted(others, 'record')} of tasks that the new revision has not"
        raise _Skipped(why, is_for_good=True)
    ledger = DatabaseLedger(submission=submission)
    try:
        judge = judge_of_board(submission.board, ledger)
    except JudgeNotSetUp as error:
        raise _Skipped(f"the leaderboard asks an LLM. {error}") from error
    started, traces = perf_counter(), TraceCollector(registry.get(submission.board.benchmark).trace)
    scored = grade.grade(submission, revision, judge, traces=traces)
    Submission.objects.filter(pk=submission.pk).update(trace=traces.extent or "")
    Work.objects.filter(pk=submission.pk).update(
        judge_seconds=F("judge_seconds") + (perf_counter() - started)
    )
    if undecided := scored.undecided:
        why = main_reason(undecided)
        count = counted(sum(undecided.values()), "answer")
        raise _Skipped(f"{count} undecided ({why}); run it again to go on")
    return grade.build_evaluation(
        submission, revision, scored, identity_as_served(judge, ledger.served, board=submission.board)
    ), ledger.used


def count_unknown_tasks(submission: Submission, known: set[str]) -> int:
    """Return how many records of a stored file are of none of the tasks `known`."""
    benchmark = registry.get(submission.board.benchmark)
    with open_runs(submission) as files:
        return sum(record.task_id not in known for file in files for record in benchmark.records(file))


def _store_score(submission: Submission, *, revision: ReferenceRevision) -> None:
    """Store the score of a submission by a revision: as its own where that is active, else beside it."""
    evaluation, used_verdicts = _score(submission, revision)
    with transaction.atomic():
        # Lock and read it again: it may have been published or withdrawn while it was rescored.
        rows = Submission.objects.select_for_update(of=("self",)).select_related("board")
        submission = rows.get(pk=submission.pk)
        evaluation = _saved(evaluation)
        if submission.board.active_revision_id != revision.pk:
            # The present score goes by its own verdicts until then.
            store_used(submission=submission, keys=used_verdicts | used_by(submission))
        elif evaluation.pk != submission.evaluation_id:
            store_used(submission=submission, keys=used_verdicts)
            _point_at([(submission, evaluation)])
            audit.record(AuditEvent.Action.SCORED, submission=submission, revision=revision.number)


def _saved(evaluation: Evaluation) -> Evaluation:
    """Save an evaluation, or return the stored one of the same inputs, which has the same figures.

    There is one if another process was faster, or an earlier revision is active again.
    """
    same_inputs = Evaluation.objects.filter(
        submission=evaluation.submission_id,
        revision=evaluation.revision_id,
        scorer_version=evaluation.scorer_version,
        judge=evaluation.judge,
    ).first()
    if same_inputs is not None:
        return same_inputs
    evaluation.clustered_interval = clustered_interval(evaluation)
    evaluation.save()
    return evaluation


def _point_at(changed: Sequence[tuple[Submission, Evaluation]]) -> None:
    """Make evaluations the scores of submissions of a board, which the caller has locked and logs."""
    for submission, evaluation in changed:
        submission.evaluation, submission.scored_at = evaluation, evaluation.created_at
    scored = [submission for submission, _ in changed]
    Submission.objects.bulk_update(scored, ["evaluation", "scored_at"], batch_size=500)
    # The public log mentions published results only.
    published = [submission for submission in scored if submission.is_published]
    if published:
        standings.refresh_standings(published, action=BoardAction.RESCORED)
        publish_verdicts(*published)
