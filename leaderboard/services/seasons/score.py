"""Score sealed files in the background, so that a fault is known before the reveal.

Nothing that a reader, a sender or an organiser sees depends on this: the result is kept encrypted, and the
submission stays sealed. Only `reveal` opens it, and an organiser who leaves a public event.
"""

import json
import logging
import traceback
import uuid
from datetime import datetime, timedelta
from time import monotonic

from django.conf import settings
from django.core import serializers
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from leaderboard.encryption import decrypt, encrypt
from leaderboard.models import AnswerDigests, Board, Evaluation, SealedFile, Season, Submission
from leaderboard.models.seasons import entries_of
from leaderboard.services import outages
from leaderboard.services.files import store
from leaderboard.services.files.read import extract_records
from leaderboard.services.judging.budget import DatabaseLedger
from leaderboard.services.judging.intervals import clustered_interval
from leaderboard.services.judging.judge import (
    JudgeNotSetUp,
    current_identity,
    identity_as_served,
    judge_of_board,
    main_reason,
    resume_in,
)
from leaderboard.services.judging.public_verdicts import store_used
from leaderboard.services.processes import leases
from leaderboard.services.submissions.digests import AnswerDigester
from leaderboard.services.submissions.grade import build_evaluation, grade
from wardboard.scoring import registry
from wardboard.scoring.trace import TraceCollector

logger = logging.getLogger(__name__)

_PURPOSE = "sealed result"
# A fault of ours may be mended meanwhile.
_RETRY = timedelta(hours=1)
OUR_FAULT, INTERRUPTED, OUTAGE = "scoring-failed", "interrupted", "outage"
# Nobody waits for a sealed file: its pauses are at once as long as those after so many attempts.
_RESUMED = 10

# Unsaved rows, and the extent of the trace, "" for none known.
Result = tuple[Evaluation, AnswerDigests, str]


def grader_of(board: Board) -> str:
    """Return what all results of a season have in common: revision, grader and judge."""
    return (
        f"{board.active_revision_id} {registry.get(board.benchmark).scorer_version} {current_identity(board)}"
    )


def score_next(season: Season, now: datetime) -> bool:
    """Score the next entry of a season that has no result by its grader; return whether there was any."""
    board = Board.objects.with_task_ids().get(pk=season.board_id)
    grader, entries = grader_of(board), entries_of(season)
    # The ones that are new have no row yet.
    SealedFile.objects.bulk_create(
        [SealedFile(submission=one, retry_at=now) for one in entries.filter(sealed=None).only("pk")],
        ignore_conflicts=True,
    )
    is_free = Q(claim=None) | leases.has_run_out()
    waiting = SealedFile.objects.filter(is_free, submission__in=entries, retry_at__lte=now)
    unscored = waiting.exclude(scored_by=grader).order_by("retry_at", "pk")
    return any(_claim(sealed, now) for sealed in unscored)


def _claim(sealed: SealedFile, now: datetime) -> bool:
    """Score a file unless another process does; return whether this one took it."""
    claim, row = uuid.uuid4(), SealedFile.objects.filter(pk=sealed.pk, claim=sealed.claim)
    if sealed.attempts >= settings.SCORING_ATTEMPTS:
        # It killed several workers: it holds up no other file.
        row.update(claim=None, attempts=0, fault=INTERRUPTED, retry_at=now + _RETRY)
        return True
    if not row.update(claim=claim, leased_until=leases.until(), attempts=F("attempts") + 1):
        return False
    ours = SealedFile.objects.filter(pk=sealed.pk, claim=claim)
    with leases.holding_row(ours, claim):
        try:
            fields = _score(sealed.submission, ours)
        except Exception as error:
            stack = "".join(traceback.format_tb(error.__traceback__))
            logger.error("a sealed file was not scored: %s\n%s", type(error).__name__, stack)
            passes = outages.is_outage(error)
            fault, pause = (OUTAGE, timedelta(minutes=1)) if passes else (OUR_FAULT, _RETRY)
            fields = {"fault": fault, "retry_at": now + pause}
        ours.update(claim=None, **{"attempts": 0, **fields})
    return True


def _score(submission: Submission, ours: QuerySet[SealedFile]) -> dict[str, object]:
    """Grade a sealed file; return what its row keeps: the result, or when to go on."""
    submission = Submission.objects.with_tasks().get(pk=submission.pk)
    board, now = submission.board, timezone.now()
    if not store.has_records(submission.stored_as):
        extract_records(board=board, file_id=submission.stored_as, names=submission.run_names)
    ledger, grader = DatabaseLedger(submission=submission), grader_of(board)
    try:
        judge = judge_of_board(board, ledger)
    except JudgeNotSetUp as error:
        return _wait(error.why, now)
    ends = monotonic() + settings.SCORING_SLICE.total_seconds()
    benchmark, revision = registry.get(board.benchmark), board.ground_truth
    digester, traces = AnswerDigester(benchmark), TraceCollector(benchmark.trace)
    scored = grade(
        submission,
        revision,
        judge,
        # While a slice has no verdict that it stored, the next one would begin where it began.
        watch=lambda _: ours.exists() and (monotonic() < ends or not ledger.recorded),
        digester=digester,
        traces=traces,
    )
    if scored.undecided:
        is_cut = monotonic() >= ends
        return {"fault": "", "retry_at": now} if is_cut else _wait(main_reason(scored.undecided), now)
    served = identity_as_served(judge, ledger.served, board=board)
    evaluation = build_evaluation(submission, revision, scored, served)
    evaluation.clustered_interval = clustered_interval(evaluation)
    store_used(submission=submission, keys=ledger.used)
    digests = AnswerDigests(
        submission=submission,
        revision=revision,
        digests=digester.packed(revision),
        public_files=digester.public_files,
    )
    result = json.dumps([serializers.serialize("json", [evaluation, digests]), traces.extent or ""])
    return {"result": encrypt(result, purpose=_PURPOSE), "scored_by": grader, "fault": ""}


def _wait(why: str, now: datetime) -> dict[str, object]:
    logger.warning("a sealed file waits for its judge: %s", why)
    return {"fault": why, "retry_at": now + resume_in(why, _RESUMED)}


def open_result(sealed: SealedFile) -> Result:
    """Return what scoring a sealed file gave.

    Raises cryptography.fernet.InvalidToken where SECRET_KEY was changed without a fallback.
    """
    rows, trace = json.loads(decrypt(sealed.result, purpose=_PURPOSE))
    evaluation, digests = (row.object for row in serializers.deserialize("json", rows))
    assert isinstance(evaluation, Evaluation)
    assert isinstance(digests, AnswerDigests)
    return evaluation, digests, trace
