"""Read the file of a request, or of a stored submission, which is queued for scoring or rejected."""

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.models import AuditEvent, Board, Status, Submission, Team, Work
from leaderboard.services import audit, background, outages, turns
from leaderboard.services.errors import BoardClosed, Busy, NoRoom, RequestInvalid, StorageAway
from leaderboard.services.files import store
from leaderboard.services.files.arrivals import StoredFile
from leaderboard.services.files.read import (
    Declared,
    check_file,
    extract_records,
    seconds_of_check,
    warn_by_statements,
)
from leaderboard.services.files.remarks import columns_of, refuse_warnings, report_columns
from leaderboard.services.processes import leases
from leaderboard.services.publishing.system_facts import place_system, stored_facts
from leaderboard.services.rows.lead_rules import states
from leaderboard.services.submissions.grade import OUR_FAULT, fail, is_long
from leaderboard.services.submissions.request import Statement
from wardboard.scoring.benchmark import Reading
from wardboard.scoring.reading.codes import DocumentCode, RulesCode
from wardboard.scoring.reading.problems import Remarks, SubmissionInvalid, pointer
from wardboard.scoring.runs import empty_problem, warn_if_empty

logger = logging.getLogger(__name__)

# A typical file of a run shrinks by about this factor when it is compressed.
_COMPRESSION = 8
# The columns with the report on a rejected file.
REPORT = (
    *("problems", "problem_count", "problems_by_code"),
    *("warnings", "warning_count", "warnings_by_code"),
    "kept_bytes",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCheck:
    """The outcome of reading a file once.

    reading: its contents, where it is valid; what scoring needs of it is stored.
    rejection: its problems, where it is not.
    """

    reading: Reading | None = None
    rejection: SubmissionInvalid | None = None

    @property
    def is_deferred(self) -> bool:
        """Whether the file is still to be checked, as that takes too long or failed by a fault of ours."""
        return self.reading is None and self.rejection is None


def read(statement: Statement) -> FileCheck:
    """Read the file of a request, and have the storage keep what a row needs of it, before one names it.

    Raises RequestInvalid for problems of what is stated, with those of the file beside them, and for a file
    that is mostly empty and was not allowed to be,
    SubmissionInvalid for warnings that a strict request does not take, Busy, NoRoom, StorageAway.
    """
    request, problems = statement.request, statement.problems
    board, file = request.board, request.file
    # Nobody would hear of the warnings later, so who refuses them waits for the check of a large file.
    waits = request.is_strict and not problems
    check = check_at_once(board=board, file=file, declared=statement.declared, waits=waits)
    if problems and check.rejection:
        raise RequestInvalid(problems, check.rejection.problems, check.rejection.warnings)
    if problems:
        raise RequestInvalid(problems, None)
    if check.rejection and RulesCode.ANSWERS in check.rejection.problems.counts:
        raise RequestInvalid(check.rejection.problems.listed, None, check.rejection.warnings)
    if check.reading is not None:
        if request.is_strict:
            refuse_warnings(check.reading.warnings)
        store.sync_checked(file.id, keeps_original=board.keeps_files)
    else:
        # It is read again; a rejected one by the worker, where it takes the place of a lost file.
        store.sync(file.id)
    return check


def check_unsent(*, board: Board, file: StoredFile, has_account: bool) -> Reading:
    """Read a file that is not submitted, without storing anything.

    has_account: whether the sender is signed in. Raises SubmissionInvalid, BoardClosed, Busy.
    """
    if not board.is_open:
        raise BoardClosed(
            gettext("%(title)s has no reference answers yet, so its tasks are not known here.")
            % {"title": gettext(board.title)}
        )
    with turns.take_to_read(has_account=has_account):
        seconds = seconds_of_check(has_account=has_account)
        return check_file(board=board, file=file, seconds=seconds, has_account=has_account)


def is_check_deferred(file: StoredFile) -> bool:
    """Return whether a file is too large to be checked within a request; compressed, it counts eightfold."""
    return file.size * (_COMPRESSION if file.is_compressed else 1) > settings.CHECK_AT_ONCE_BYTES


def check_at_once(*, board: Board, file: StoredFile, declared: Declared, waits: bool = False) -> FileCheck:
    """Read the file and store its records, unless that takes so long that its check is deferred.

    What it stores is not synced yet. One file is checked at a time, and its turn does not wait for the disk.
    waits: whether the request waits for the check, as long as a request may take. Then it raises Busy, and
        SubmissionInvalid where the time was too short.
    """
    if is_check_deferred(file) and not waits:
        return FileCheck()
    try:
        with turns.take_to_read() if waits else turns.reading.take(background.PATIENCE):
            seconds = seconds_of_check(has_account=True) if waits else settings.REQUEST_SECONDS
            check = _check(
                board,
                file.id,
                file.names,
                left_out=file.left_out,
                seconds=max(0.0, seconds - file.unpacked_in),
                is_synced=False,
                declared=declared,
            )
    except Busy:
        raise
    except turns.TooBusy:
        return FileCheck()
    except Exception as error:
        # A request that waits would not hear of the warnings that it does not take.
        if waits or outages.is_outage(error):
            raise
        # The checker has a fault: the file is stored all the same, and `admit` decides what becomes of it.
        logger.exception("a file could not be checked")
        return FileCheck()
    rejection = check.rejection
    if rejection and any(problem.code == DocumentCode.TOO_SLOW for problem in rejection.problems.listed):
        # A worker has longer, so the file may be valid.
        if waits:
            raise rejection
        return FileCheck()
    return check


def fields_of(submission: Submission, check: FileCheck) -> dict[str, Any]:
    """Return the columns of a new submission whose file was read; none while its check is deferred."""
    if check.reading:
        return {"status": submission.status_once_valid, **checked_fields(submission, check.reading)}
    return {"status": Status.REJECTED, **report_columns(check.rejection)} if check.rejection else {}


def checked_fields(submission: Submission, reading: Reading) -> dict[str, Any]:
    """Return the columns of a submission whose file proved valid, and is stored as it will be kept."""
    keeps_original = submission.board.keeps_files
    files = [
        {**file, "count": count}
        for file, count in zip(submission.run_files or (), reading.counts, strict=False)
    ]
    for repeat in reading.repeats:
        files[repeat.run - 1] |= {"same_as": repeat.same_as, "is_copy": repeat.is_copy}
    return {
        "kept_bytes": store.kept_bytes(submission.stored_as, with_original=keeps_original),
        "is_long": is_long(submission, reading),
        "format": reading.format,
        "count": reading.count,
        "log_facts": reading.log_facts.as_json(),
        "most_rounds": reading.log_facts.most_rounds,
        "no_answers": reading.no_answers,
        **({"run_files": files} if files else {}),
        "repeated_runs": reading.uncounted_runs,
        **columns_of(warnings=reading.warnings),
    }


def check(*, submission_id: uuid.UUID) -> bool:
    """Check a received file; return False where another process does, or has."""
    claim, now = uuid.uuid4(), timezone.now()
    waiting = Submission.objects.filter(pk=submission_id, status=Status.RECEIVED, claim=None)
    with background.turn_of_request(turns.reading):
        with transaction.atomic():
            if not waiting.update(claim=claim, begun_at=now, moved_at=now):
                return False
            leases.begin(submission_id)
        with leases.holding(submission_id, claim):
            admit(submission_id=submission_id, claim=claim)
    return True


def admit(*, submission_id: uuid.UUID, claim: uuid.UUID) -> None:
    """Queue a received submission for scoring, or reject it with its report.

    claim: the caller's; where another process has taken over, nothing is changed.
    """
    ours = Submission.objects.filter(pk=submission_id, status=Status.RECEIVED, claim=claim)
    submission = ours.with_tasks().first()
    if submission is None:
        return
    try:
        check = _check(
            submission.board,
            submission.stored_as,
            submission.run_names,
            left_out=submission.left_out,
            declared=Declared(
                runs=submission.runs,
                is_deterministic=bool(submission.deterministic),
                harness=(submission.stated_facts or {}).get("harness") or submission.system.harness,
                allow_empty=submission.allow_empty,
                states=states(submission.system, submission.stated_facts or {}),
            ),
        )
    except Exception as error:
        if outages.is_outage(error):
            leases.leave(submission_id, claim, error)
            return
        # This takes any fault of the checker, which must not be repeated at every sweep.
        logger.exception("submission %s could not be checked", submission_id)
        if not leases.leave_for_retry(submission_id, claim):
            fail(submission_id, OUR_FAULT, was=Status.RECEIVED, claim=claim)
        return
    if check.rejection:
        _reject(submission, check.rejection)
    elif check.reading:
        try:
            fields = _keep(submission, check.reading)
        except StorageAway as error:
            leases.leave(submission_id, claim, error)
        else:
            _queue(submission, fields)


def _check(
    board: Board, file_id: uuid.UUID, names: Sequence[str], *, declared: Declared, **options: Any
) -> FileCheck:
    try:
        reading = extract_records(board=board, file_id=file_id, names=names, **options)
    except SubmissionInvalid as rejection:
        return FileCheck(rejection=rejection)
    reading = warn_by_statements(board, reading, declared)
    if reading.is_mostly_empty and not (declared.allow_empty or board.is_unranked):
        problems = Remarks(keep=1)
        problems.add(empty_problem(reading, pointer("allow_empty")))
        reading.warnings.remove(RulesCode.ANSWERS)
        return FileCheck(rejection=SubmissionInvalid(problems, reading.warnings))
    warn_if_empty(reading, hint="")  # It was sent as the hint would say.
    return FileCheck(reading=reading)


def _keep(submission: Submission, reading: Reading) -> dict[str, Any]:
    """Compress the original where it is kept; return `checked_fields`. Raises StorageAway."""
    if submission.board.keeps_files:
        try:
            store.pack_original(submission.stored_as)
        except NoRoom:
            logger.warning("the original of submission %s stays as it is, uncompressed", submission.pk)
    return checked_fields(submission, reading)


def _queue(submission: Submission, fields: Mapping[str, Any]) -> None:
    with transaction.atomic():
        # Lock these before the submission, as everywhere.
        team = Team.objects.select_for_update().get(pk=submission.team_id)
        queued = Submission.objects.filter(pk=submission.pk, claim=submission.claim).become(
            submission.status_once_valid, was=Status.RECEIVED, **fields
        )
        if not queued:
            return
        Work.objects.filter(pk=submission.pk).update(attempts=0)
        if submission.stated_facts is not None:
            facts = stored_facts(submission.stated_facts)
            _, waiting = place_system(team=team, facts=facts, by=submission.submitted_by, is_valid=True)
            if waiting is None:
                Submission.objects.filter(pk=submission.pk).update(stated_facts=None)
    if not submission.board.keeps_files:
        store.drop_original(submission.stored_as)
    background.enqueue(submission.pk, is_long=fields["is_long"])


def _reject(submission: Submission, rejection: SubmissionInvalid) -> None:
    with transaction.atomic():
        rejected = Submission.objects.filter(pk=submission.pk, claim=submission.claim).become(
            Status.REJECTED, was=Status.RECEIVED, **report_columns(rejection)
        )
        if rejected:
            audit.record(AuditEvent.Action.REJECTED, submission=submission, problems=rejection.problems.total)
    if rejected:
        # It can never be scored. Remove it after the commit: if this is cut off, the sweep removes it.
        store.remove(submission.stored_as)
