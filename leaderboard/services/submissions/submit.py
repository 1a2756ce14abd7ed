"""Accept an uploaded file: check it, store it with its provenance, and have it scored."""

import hashlib
import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.models import (
    AuditEvent,
    Board,
    IdempotencyKey,
    Status,
    Submission,
    Team,
    User,
)
from leaderboard.models.systems import RELEASE
from leaderboard.monitoring import metrics
from leaderboard.services import audit, background, outages
from leaderboard.services.background import Task
from leaderboard.services.data_class import VERSION, missing_acknowledgement
from leaderboard.services.errors import (
    BoardClosed,
    Busy,
    FactsInvalid,
    KeyReused,
    NoRoom,
    QuotaSpent,
    RequestInvalid,
    ServiceError,
    StorageAway,
    WrongState,
)
from leaderboard.services.files import reading_turn, runs, store
from leaderboard.services.files.read import Declared, check_file, seconds_of_check
from leaderboard.services.files.remarks import refuse_warnings
from leaderboard.services.files.store import StoredFile
from leaderboard.services.processes import leases
from leaderboard.services.publishing.change_settings import lane_refusal
from leaderboard.services.publishing.publish import publish, refusal
from leaderboard.services.publishing.system_facts import (
    facts_to_store,
    find_system,
    other_facts,
    save_stated_system,
    waiting_changes,
)
from leaderboard.services.record.entry import next_designation
from leaderboard.services.rows.same_name import is_same_version
from leaderboard.services.submissions import admit, grade, quotas, retry
from leaderboard.services.submissions.admit import FileCheck
from leaderboard.services.submissions.digests import address_digest
from leaderboard.services.submissions.duplicates import (
    NotApplied,
    SubmissionRequest,
    can_be_published,
    not_applied,
    other_release,
    require_applied,
    same_files,
    update_duplicate,
)
from leaderboard.services.submissions.stated_facts import Stated, parse_stated
from leaderboard.services.trusted_publishing.provenance import (
    provenance_of,
    refuse_contradictions,
    verified_release,
)
from wardboard.scoring.benchmark import Reading
from wardboard.scoring.reading.problems import Problem, SubmissionInvalid, pointer

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitResult:
    """A submission, and whether the response says that the request created it.

    A repeated request with the same idempotency key gets the answer that the first one got.
    is_repeated: whether an earlier request had stored the submission
    not_applied: what the request asked for in vain, as the submission existed before.
    other_facts: fields of the system, and of `Release`, that the request states and that were not applied
    """

    submission: Submission
    created: bool
    is_repeated: bool = False
    not_applied: Sequence[NotApplied] = ()
    other_facts: Sequence[str] = ()


def check(
    *, board: Board, file: StoredFile, has_account: bool = True, declared: Declared | None = None
) -> Reading:
    """Read a file without storing anything. Raises SubmissionInvalid, BoardClosed, Busy.

    has_account: whether the sender is signed in. declared: None where only the file is known.
    """
    if not board.is_open:
        raise BoardClosed(
            gettext("%(title)s has no reference answers yet, so its tasks are not known here.")
            % {"title": gettext(board.title)}
        )
    with reading_turn.take():
        seconds = seconds_of_check(has_account=has_account)
        return check_file(board=board, file=file, seconds=seconds, declared=declared)


def submit(request: SubmissionRequest) -> SubmitResult:
    """Accept a file as a team's submission, and score it or queue it for scoring.

    A file of several runs is one submission of a declared number of runs; missing runs count as wrong.
    The same bytes from the same team for the same leaderboard, of several files in any order, give the same
    submission, and the result says what of the request it does not follow; one that failed through a fault
    of ours, or was cancelled, is tried again. An invalid file becomes a rejected submission with a report
    (`submission.problems`) and without its bytes. A large file is checked in the background.
    The stored file belongs to the service from here on, whatever happens.

    Raises SubmissionInvalid for warnings that a strict request does not take, BoardClosed, KeyReused,
    EmailUnverified, ApprovalNeeded, QuotaSpent, StorageSpent, StorageAway,
    NoRoom, and RequestInvalid for invalid facts (with the problems of the file beside them).
    """
    try:
        result = _submit(request)
    except Exception as error:
        # The store counts those for which it has no room.
        if isinstance(error, ServiceError) and not isinstance(error, NoRoom):
            metrics.REFUSED.labels(error.code).inc()
        # A row may name the file already, and where the connection broke nobody knows: then the sweep removes
        # the file, if no row names it; likewise where the storage is away.
        if outages.may_have_committed(error) or isinstance(error, StorageAway):
            raise
        if not Submission.objects.filter(stored_as=request.file.id).exists():
            store.remove(request.file.id)
        raise
    else:
        if result.submission.stored_as != request.file.id:
            store.remove(request.file.id)
        return result
    finally:
        store.release(request.file.id)


def _submit(request: SubmissionRequest) -> SubmitResult:
    if not request.board.is_open:
        raise BoardClosed(
            gettext(
                "%(title)s is not open for submissions yet: its reference answers have not been imported."
            )
            % {"title": gettext(request.board.title)}
        )
    _require_lane(request)
    stated = _parse_stated(request)
    request = replace(request, file=runs.declare(request.file, stated.runs))
    declared = _declared(request, stated)
    file_check = admit.check_at_once(board=request.board, file=request.file, declared=declared)
    if request.strict is not None:
        _refuse_warnings(request, declared, file_check)
    if file_check.rejection and (known := _rejected_before(request)):
        admit.renew_report(known, file_check.rejection)
        _remember_key(request, stated, SubmitResult(submission=known, created=False))
        known = Submission.objects.with_result().get(pk=known.pk)
        return SubmitResult(submission=known, created=False, is_repeated=True)
    # The storage keeps the file before a row names it.
    admit.settle(board=request.board, file=request.file, check=file_check)
    result, created = _save(request, stated, file_check)
    return SubmitResult(
        submission=_proceed(request, result, file_check),
        created=created,
        is_repeated=not result.created,
        # Who repeats the first request gets its answer.
        not_applied=() if created else result.not_applied,
        other_facts=result.other_facts,
    )


def _require_lane(request: SubmissionRequest) -> None:
    """Check that a request asks of a ranked leaderboard, or of an unranked lane, what it does.

    Raises RequestInvalid, and BoardClosed for a lane with tasks that count on its leaderboard.
    """
    board = request.board
    if not board.is_unranked:
        if request.unranked:
            raise RequestInvalid([_not_unranked(board)], None)
        return
    if request.is_to_be_published:
        problem = Problem(
            code="unranked.never-published",
            pointer=pointer("designate" if request.designate else "publish"),
            message=gettext("A result on an unranked lane is never published."),
            hint=gettext("Leave it out, or send the file to a ranked leaderboard."),
        )
        raise RequestInvalid([problem], None)
    if refusal := lane_refusal(board):
        raise BoardClosed(refusal)


def _not_unranked(board: Board) -> Problem:
    lane = Board.objects.filter(unranked_lane_of=board).values_list("slug", flat=True).first()
    none = gettext("It has no such lane.")
    hint = gettext("Send the file to its unranked lane: %(lane)s.") % {"lane": lane} if lane else none
    return Problem(
        code="unranked.is-ranked",
        pointer=pointer("unranked"),
        message=gettext("%(title)s is a ranked leaderboard, and no unranked lane.")
        % {"title": gettext(board.title)},
        hint=hint,
    )


def _declared(request: SubmissionRequest, stated: Stated) -> Declared:
    harness = stated.facts.values.get("harness")
    if harness is None and request.board.needs_official_harness:
        known = find_system(team=request.team, name=stated.facts.name)
        harness = known.harness if known else ""
    return Declared(runs=stated.runs, is_deterministic=bool(stated.deterministic), harness=harness or "")


def _refuse_warnings(request: SubmissionRequest, declared: Declared, file_check: FileCheck) -> None:
    """Raise SubmissionInvalid where the file has warnings that the request does not take."""
    if file_check.reading is not None:
        refuse_warnings(file_check.reading.warnings, request.strict)
    elif file_check.is_deferred:
        # Nobody would hear of them later; who asks for this waits for the check, however large the file is.
        reading = check(board=request.board, file=request.file, declared=declared)
        refuse_warnings(reading.warnings, request.strict)


def _parse_stated(request: SubmissionRequest) -> Stated:
    """Return what is stated. Raises RequestInvalid with every problem of the facts and of the file.

    Without the acknowledgement that a board asks for, the file is not read.
    """
    unacknowledged = missing_acknowledgement(request.board, request.acknowledgement)
    try:
        stated = parse_stated(request.facts, files=len(request.file.names))
        refuse_contradictions(request.ci_job, stated=stated.release, sha256=request.file.sha256)
        if unacknowledged:
            raise RequestInvalid([unacknowledged], None)
        return stated
    except FactsInvalid as error:
        if unacknowledged:
            raise RequestInvalid([unacknowledged, *error.problems], None) from error
        # Nobody waits for the check of a large file to learn that the facts are invalid.
        if not admit.is_check_deferred(request.file):
            try:
                check(board=request.board, file=request.file)
            except SubmissionInvalid as rejection:
                raise RequestInvalid(error.problems, rejection.problems, rejection.warnings) from error
            except Busy:
                logger.info("a file was not checked: the server is busy")
        raise RequestInvalid(error.problems, None) from error


def _rejected_before(request: SubmissionRequest) -> Submission | None:
    return same_files(request).filter(status=Status.REJECTED).first()


def _save(request: SubmissionRequest, stated: Stated, file_check: FileCheck) -> tuple[SubmitResult, bool]:
    """Return the submission's row, and whether the response says that it was created."""
    new = _prepare(request, stated, file_check)
    with suppress(IntegrityError):
        return _save_once(request, stated, file_check, new)
    # A race with the same bytes was lost: now the winner's row is there.
    return _save_once(request, stated, file_check, new)


@transaction.atomic
def _save_once(
    request: SubmissionRequest, stated: Stated, file_check: FileCheck, new: Submission
) -> tuple[SubmitResult, bool]:
    result = _find_or_create(request, stated, file_check, new)
    created = _remember_key(request, stated, result)
    if request.strict is not None:
        # Those of a public system are applied when the result is published.
        facts = [] if result.created and request.is_to_be_published else result.other_facts
        # What a CI job proves is no field that it could leave out.
        facts = [name for name in facts if name not in RELEASE or name in stated.release]
        require_applied(facts, () if created else result.not_applied, is_new=result.created)
    return result, created


def _remember_key(request: SubmissionRequest, stated: Stated, result: SubmitResult) -> bool:
    """Store the idempotency key, or check that it belongs to the same request. Raises KeyReused.

    Returns whether the first request with the key created the submission; repeats get the same answer.
    """
    if not request.idempotency_key:
        return result.created
    defaults = {
        "fingerprint": _fingerprint(request, stated),
        "submission": result.submission,
        "made_it": result.created,
    }
    stored_key, _ = IdempotencyKey.objects.get_or_create(
        user=request.user, key=request.idempotency_key, defaults=defaults
    )
    if stored_key.fingerprint != defaults["fingerprint"]:
        raise KeyReused(
            "This Idempotency-Key came before with another request. Use a new key for a new file."
        )
    return stored_key.made_it


def _fingerprint(request: SubmissionRequest, stated: Stated) -> str:
    parts = [request.board.pk, request.file.sha256, facts_to_store(stated.facts), request.publish]
    # The digest covers the number of runs.
    if stated.retries:
        parts.append(stated.retries)
    if stated.deterministic is not None:
        parts.append(f"deterministic {stated.deterministic}")
    if stated.release:
        parts.append(dict(stated.release))
    if request.team.is_shared:
        parts.append(f"team {request.team.pk}")
    if request.designate:
        parts.append("designate")  # keys of requests without it stay what they were
    if request.unranked:
        parts.append("unranked")
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _find_or_create(
    request: SubmissionRequest, stated: Stated, file_check: FileCheck, new: Submission
) -> SubmitResult:
    # A person's files for all teams count together. Lock the person before the team, as everywhere.
    User.objects.select_for_update(no_key=True).values_list("pk").get(pk=request.user.pk)
    # Quota, duplicates and system names are read and written under one lock per team.
    name = Team.objects.select_for_update().values_list("name", flat=True).get(pk=request.team.pk)
    if not name:
        raise WrongState(gettext("This account has been deleted."))
    duplicates = same_files(request).exclude(status=Status.REJECTED)
    # Most files are new, and then no column of a row is needed.
    if duplicates.exists():
        duplicate = duplicates[0]
        update_duplicate(duplicate, request, stated)
        wishes = not_applied(duplicate, request, stated)
        others = [*other_facts(duplicate, stated.facts), *other_release(duplicate, request, stated)]
        return SubmitResult(submission=duplicate, created=False, not_applied=wishes, other_facts=others)
    _create(request, stated, file_check, new)
    return SubmitResult(submission=new, created=True, other_facts=list(waiting_changes(new)))


def _prepare(request: SubmissionRequest, stated: Stated, file_check: FileCheck) -> Submission:
    """Return the unsaved row, with all that needs no lock: others wait for those who hold one."""
    file = request.file
    submission = Submission(
        board=request.board,
        team=request.team,
        submitted_by=request.user,
        sha256=file.sha256,
        size_bytes=file.size,
        stored_as=file.id,
        # This holds until it is checked, and it is known how much scoring needs of it.
        kept_bytes=file.size,
        run_files=[asdict(run) for run in file.runs] or None,
        left_out=file.left_out,
        runs=stated.runs,
        retries=stated.retries,
        deterministic=stated.deterministic,
        **{**stated.release, **verified_release(request.ci_job)},
        provenance=provenance_of(request.ci_job),
        ci_job=request.ci_job,
        filename="".join(c for c in request.filename if c.isprintable())[:255],
        address_digest=address_digest(request.address),
        acknowledged=VERSION if request.board.is_credentialed else "",
        publish_when_scored=request.is_to_be_published,
        sent_for_publication=request.is_to_be_published,
        designated=request.designate,
        is_long=file_check.is_deferred,
    )
    if file_check.reading is not None:
        submission.status = Status.QUEUED
        for name, value in admit.checked_fields(submission, file_check.reading).items():
            setattr(submission, name, value)
    return submission


def _create(
    request: SubmissionRequest, stated: Stated, file_check: FileCheck, submission: Submission
) -> None:
    now, team = timezone.now(), request.team
    quotas.spend_submission(
        request.board,
        team,
        request.user,
        now,
        digest=submission.address_digest,
        size=request.file.size,
        runs=submission.runs,
    )
    system = None
    if file_check.reading is None:
        quotas.spend_rejection(team, request.user, now)
        # A file that is rejected must not change what leaderboards say about a known system.
        system = find_system(team=team, name=stated.facts.name)
        if system and not file_check.rejection:
            submission.stated_facts = facts_to_store(stated.facts)
    if system is None:
        system, is_waiting = save_stated_system(team=team, facts=stated.facts, by=request.user)
        if is_waiting:
            # What is not published changes nothing that is public.
            submission.stated_facts = facts_to_store(stated.facts)
    submission.system = system
    if submission.designated:
        submission.designation = _designation(submission, file_check)
    submission.received_at = submission.moved_at = now
    submission.acknowledged_at = now if submission.acknowledged else None
    if not file_check.is_deferred:
        submission.begun_at = now
    is_queued = submission.status == Status.QUEUED
    if is_queued and background.is_for_request(is_long=submission.is_long):
        submission.status = Status.SCORING
    if submission.status == Status.SCORING or not (is_queued or file_check.is_deferred):
        # One transaction does for all steps that the request takes next, and no worker begins them.
        for name, value in leases.first_claim().items():
            setattr(submission, name, value)
    submission.save(force_insert=True)
    if submission.claim is None:
        background.give_turn(team.pk, is_long=submission.is_long)
    data: dict[str, Any] = {"sha256": request.file.sha256}
    if submission.acknowledged:
        data["acknowledged"] = submission.acknowledged
    if request.ci_job:
        data["provenance"] = submission.provenance
    audit.record(AuditEvent.Action.SUBMITTED, actor=request.user, submission=submission, **data)


def _designation(submission: Submission, file_check: FileCheck) -> int | None:
    """Return `next_designation`, None of a rejected file.

    Raises RequestInvalid where there is none, and QuotaSpent where the result could not be published now.
    """
    number = next_designation(submission)
    rejection = file_check.rejection
    if number is not None:
        refused = refusal(submission, by=submission.submitted_by, is_confirmed=True)
        if isinstance(refused, QuotaSpent) and not rejection:
            # Scored, it would be shown to its team, which could publish it later or not.
            raise refused
        return None if rejection else number
    values = {"version": submission.version, "system": submission.system.name}
    if submission.version and is_same_version(submission.version, ""):
        message = gettext("“%(version)s” states no version: give a number or a name.")
    elif submission.version:
        message = gettext("Version “%(version)s” of “%(system)s” has a designated file here already.")
    else:
        message = gettext("“%(system)s” has a designated file here already, and this one states no version.")
    problem = Problem(
        code="facts.version-designated",
        pointer=pointer("version"),
        message=message % values,
        hint=gettext(
            "The first designated file of a version is its entry. State the new version that was run, or "
            "do not designate this file."
        ),
    )
    raise RequestInvalid(
        [problem], rejection.problems if rejection else None, rejection.warnings if rejection else None
    )


def _proceed(request: SubmissionRequest, result: SubmitResult, file_check: FileCheck) -> Submission:
    """Check a new submission, resume a stopped one, or publish a scored one if requested."""
    submission = result.submission
    if submission.status == Status.RECEIVED:
        _check(result, file_check)
    elif submission.status == Status.QUEUED and result.created:
        background.enqueue(Task.GRADE, submission.pk, is_long=submission.is_long)
    elif submission.status == Status.SCORING and result.created and submission.claim:
        with background.working_for_request():
            grade.score_claimed(submission_id=submission.pk, claim=submission.claim)
    elif submission.status in (Status.FAILED, Status.CANCELLED):
        try:
            retry.retry(submission_id=submission.pk, by=request.user)
        except WrongState:
            logger.info("submission %s was taken up by another request", submission.pk)
    elif (
        request.is_to_be_published
        and NotApplied.PUBLISH not in result.not_applied
        and can_be_published(submission)
    ):
        publish(submission_id=submission.pk, team=submission.team, by=request.user)
    return Submission.objects.with_result().get(pk=submission.pk)


def _check(result: SubmitResult, file_check: FileCheck) -> None:
    submission = result.submission
    if file_check.is_deferred:
        # A duplicate of a large file is being checked already, or the sweep will queue it.
        if result.created:
            background.enqueue(Task.ADMIT, submission.pk, is_long=True)
    elif result.created and submission.claim:
        with leases.holding(submission.pk, submission.claim):
            admit.admit(submission_id=submission.pk, claim=submission.claim, check=file_check)
    else:
        # The check was of this request's file, which an earlier submission does not use.
        admit.check(submission_id=submission.pk)
