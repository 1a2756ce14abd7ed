"""Decide what becomes of a request: whether its file is new, and what of the request holds.

The question is asked once, under the locks, when the file has been read.
"""

import hashlib
import json
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.models import (
    AuditEvent,
    IdempotencyKey,
    ProvenanceLevel,
    Status,
    Submission,
    Team,
    User,
    Work,
)
from leaderboard.models.seasons import hold_open, take_over
from leaderboard.models.systems import RELEASE
from leaderboard.services import audit, background
from leaderboard.services.data_class import VERSION
from leaderboard.services.errors import BoardClosed, KeyReused, QuotaSpent, RequestInvalid, WrongState
from leaderboard.services.files import store
from leaderboard.services.processes import leases
from leaderboard.services.publishing.publish import refusal
from leaderboard.services.publishing.standings import save_changes
from leaderboard.services.publishing.system_facts import differing_facts, facts_to_store, place_system
from leaderboard.services.record.entry import next_designation
from leaderboard.services.rows.same_name import is_same_version
from leaderboard.services.submissions import admit, quotas
from leaderboard.services.submissions.admit import FileCheck
from leaderboard.services.submissions.request import Statement, SubmissionRequest
from wardboard.scoring.facts import is_same_commit, request_key
from wardboard.scoring.reading.problems import Problem, pointer


class NotApplied(StrEnum):
    """What a request asks for and an earlier submission of the same files does not follow.

    SYSTEM: it is of another system
    DESIGNATE: its score was seen before it was designated, its version has a designated file, or it is of
        another system
    PUBLISH: it was withdrawn or disqualified, or the request describes another one
    FACTS, RETRIES, DETERMINISTIC, RELEASE: others are stated than before
    PROVENANCE: less was known about where it came from
    """

    SYSTEM = "system"
    DESIGNATE = "designate"
    PUBLISH = "publish"
    FACTS = "facts"
    RETRIES = "retries"
    DETERMINISTIC = "deterministic"
    RELEASE = "release"
    PROVENANCE = "provenance"


class NextStep(StrEnum):
    """What a request does once its decision is stored.

    QUEUE: have a worker read the file, or grade it. SCORE: grade it, which the row is claimed for.
    RETRY: queue again what failed or was cancelled. PUBLISH: publish what is scored.
    """

    NOTHING = "nothing"
    QUEUE = "queue"
    SCORE = "score"
    RETRY = "retry"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of a request: its submission, and what of the request does not hold.

    A repeated request with the same idempotency key gets the answer that the first one got.

    is_repeated: whether an earlier request had stored the submission.
    created: whether the answer says that the request created it: the first with its key did.
    not_applied: what the request asked for in vain, as the submission existed before.
    other_facts: fields of the system, and of `Release`, that the request states and that were not applied.
    """

    submission: Submission
    is_repeated: bool
    created: bool
    next_step: NextStep = NextStep.NOTHING
    not_applied: Sequence[NotApplied] = ()
    other_facts: Sequence[str] = ()


def _new_row(statement: Statement, check: FileCheck) -> Submission:
    """Return the unsaved row of a new file, with all that needs no lock: others wait for who holds one."""
    request, stated = statement.request, statement.stated
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
        **statement.release,
        provenance=statement.provenance,
        ci_job=request.ci_job,
        filename="".join(c for c in request.filename if c.isprintable())[:255],
        address_digest=request.address_digest,
        allow_empty=request.allow_empty,
        acknowledged=VERSION if request.board.is_credentialed else "",
        publish_when_scored=request.is_to_be_published,
        sent_for_publication=request.is_to_be_published,
        designated=request.designate,
        is_long=check.is_deferred,
    )
    for name, value in admit.fields_of(submission, check).items():
        setattr(submission, name, value)
    if submission.status == Status.QUEUED and background.is_for_request(is_long=submission.is_long):
        # One transaction does for all steps that the request takes next, and no worker begins them.
        submission.status = Status.SCORING
    return submission


def decide(statement: Statement, check: FileCheck) -> Decision:
    """Store what becomes of a request: a new row, or what holds of it for an earlier one of its files.

    Raises WrongState for a deleted account, KeyReused, EmailUnverified, ApprovalNeeded, QuotaSpent,
    StorageSpent, and RequestInvalid for what a strict request asks for in vain.
    """
    new = _new_row(statement, check)
    with suppress(IntegrityError):
        return _decide(statement, check, new)
    # A race with the same bytes was lost: now the winner's row is there.
    return _decide(statement, check, new)


@transaction.atomic
def _decide(statement: Statement, check: FileCheck, new: Submission) -> Decision:
    request = statement.request
    # A person's files for all teams count together. Lock the person before the team, as everywhere.
    User.objects.select_for_update(no_key=True).values_list("pk").get(pk=request.user.pk)
    # Quota, earlier files and system names are read and written under one lock per team.
    name = Team.objects.select_for_update().values_list("name", flat=True).get(pk=request.team.pk)
    if not name:
        raise WrongState(gettext("This account has been deleted."))
    # A season may have closed while the file was read.
    if request.board.is_season and (closed := hold_open(request.board, timezone.now())):
        raise BoardClosed(closed)
    earlier = _earlier(request, check)
    if earlier is None:
        decision = _create(statement, check, new)
    elif earlier.status == Status.REJECTED:
        report = {name: getattr(new, name) for name in admit.REPORT}
        Submission.objects.filter(pk=earlier.pk).update(**report)
        decision = Decision(submission=earlier, is_repeated=True, created=False)
    else:
        decision = _repeat(statement, earlier)
    if request.idempotency_key:
        decision = _remember_key(statement, decision)
    if request.is_strict:
        _require_applied(statement, decision)
    return decision


def _earlier(request: SubmissionRequest, check: FileCheck) -> Submission | None:
    """Return the earlier submission of the same files; a rejected one only if they are rejected again.

    They have the same bytes; several files may be in any order.
    """
    rows = Submission.objects.filter(board=request.board, team=request.team, sha256=request.file.sha256)
    if check.rejection and (rejected := rows.filter(status=Status.REJECTED).first()):
        return rejected
    return rows.exclude(status=Status.REJECTED).first()


def _create(statement: Statement, check: FileCheck, new: Submission) -> Decision:
    """Save the row of a new file, within what its team may send."""
    request, now = statement.request, timezone.now()
    facts = facts_to_store(statement.stated.facts)
    is_valid = None if check.is_deferred else check.reading is not None
    quotas.spend_submission(
        request.board,
        request.team,
        request.user,
        now,
        digest=new.address_digest,
        size=request.file.size,
        runs=new.runs,
    )
    system, waiting = place_system(
        team=request.team, facts=statement.stated.facts, by=request.user, is_valid=is_valid
    )
    new.system = system
    if request.board.is_season and is_valid is not False:
        _require_room_in_season(new)
    # What is not published changes nothing that is public.
    new.stated_facts = None if waiting is None else facts
    if new.designated:
        new.designation = _designation(new, check)
    _save(new, now, is_begun=is_valid is not None)
    if request.board.is_season and is_valid is not False:
        take_over(new)
    data: dict[str, Any] = {"sha256": request.file.sha256}
    if new.acknowledged:
        data["acknowledged"] = new.acknowledged
    if request.ci_job:
        data["provenance"] = new.provenance
    audit.record(AuditEvent.Action.SUBMITTED, actor=request.user, submission=new, **data)
    if check.rejection:
        audit.record(AuditEvent.Action.REJECTED, submission=new, problems=check.rejection.problems.total)
    steps = {
        Status.RECEIVED: NextStep.QUEUE,
        Status.QUEUED: NextStep.QUEUE,
        Status.SCORING: NextStep.SCORE,
    }
    return Decision(
        submission=new,
        is_repeated=False,
        created=True,
        next_step=steps.get(Status(new.status), NextStep.NOTHING),
        other_facts=waiting or (),
    )


def _require_room_in_season(new: Submission) -> None:
    """Raise QuotaSpent where a system has as many files in a season as it may."""
    files = Submission.objects.filter(board=new.board, system=new.system).exclude(status=Status.REJECTED)
    most = new.board.season.files_of_system
    if files.count() >= most:
        text = gettext("%(system)s has as many files in this season as it may (%(count)s).")
        raise QuotaSpent(text % {"system": new.system.name, "count": most})


def _save(new: Submission, now: datetime, *, is_begun: bool) -> None:
    new.received_at = new.moved_at = now
    new.acknowledged_at = now if new.acknowledged else None
    if is_begun:
        new.begun_at = now
    if new.status == Status.SCORING:
        new.claim = uuid.uuid4()
    new.save(force_insert=True)
    Work.objects.create(submission=new)
    if new.claim:
        leases.begin(new.pk)


def _designation(submission: Submission, check: FileCheck) -> int | None:
    """Return `next_designation`, None of a rejected file.

    Raises RequestInvalid where there is none, and QuotaSpent where the result could not be published now.
    """
    number = next_designation(submission)
    rejection = check.rejection
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


def _repeat(statement: Statement, earlier: Submission) -> Decision:
    """Apply to an earlier submission what can be applied of a request. Raises StorageSpent."""
    request, changed = statement.request, dict[str, Any]()
    is_of_other, facts = differing_facts(earlier, statement.stated.facts)
    release = _differing_release(statement, earlier)
    # Only what describes the earlier submission may publish it: the file may be a stale one of another
    # version. A repeated CI job has another run link, and a note is free text.
    is_described = not (is_of_other or facts or {"version", "commit"} & {*release})
    is_stopped = earlier.status in (Status.FAILED, Status.CANCELLED)
    if request.board.is_credentialed and not earlier.acknowledged:
        changed |= {"acknowledged": VERSION, "acknowledged_at": timezone.now()}
    if request.is_to_be_published and is_described and (earlier.is_pending or is_stopped):
        # It has no score yet, so its team has not seen one.
        number = next_designation(earlier) if request.designate else earlier.designation
        changed |= {
            "publish_when_scored": True,
            "sent_for_publication": True,
            "designation": number,
            "designated": earlier.designated or number is not None,
        }
    if is_stopped and not store.can_be_scored(earlier.stored_as):
        # Its file is lost, after a restore without the uploads, say. The request's has the same bytes; of
        # several files, perhaps in another order.
        quotas.spend_storage(request.board, request.team, request.user, request.file.size)
        changed |= {
            "stored_as": request.file.id,
            "kept_bytes": request.file.size,
            "run_files": [asdict(run) for run in request.file.runs] or None,
        }
    keys = IdempotencyKey.objects.filter(user=request.user, key=request.idempotency_key or None)
    if request.board.is_season and not is_of_other and not keys.exists():
        # The last file that is sent counts, also where it was sent before another one.
        changed |= {"received_at": timezone.now()}
    save_changes(earlier, changed)
    is_public = earlier.is_published and not is_of_other
    is_left = bool(earlier.withdrawn_at or earlier.disqualified_at) or not (is_public or is_described)
    stated, provenance = statement.stated, statement.provenance
    in_vain = {
        NotApplied.SYSTEM: is_of_other,
        NotApplied.DESIGNATE: request.designate and (is_of_other or not earlier.designated),
        NotApplied.PUBLISH: request.is_to_be_published and is_left,
        NotApplied.FACTS: facts,
        NotApplied.RETRIES: stated.retries and stated.retries != earlier.retries,
        NotApplied.DETERMINISTIC: stated.deterministic not in (None, earlier.deterministic),
        NotApplied.RELEASE: release,
        NotApplied.PROVENANCE: provenance == ProvenanceLevel.CI_ATTESTED != earlier.provenance
        or (request.ci_job is not None and earlier.ci_job_id is None),
    }
    not_applied = [name for name, is_in_vain in in_vain.items() if is_in_vain]
    return Decision(
        submission=earlier,
        is_repeated=True,
        created=False,
        next_step=_next_step(request, earlier, not_applied),
        not_applied=not_applied,
        other_facts=[*facts, *release],
    )


def _differing_release(statement: Statement, earlier: Submission) -> list[str]:
    return [
        name
        for name, value in statement.release.items()
        if getattr(earlier, name) != value
        and not (name == "commit" and is_same_commit(earlier.commit, value))
    ]


def _next_step(
    request: SubmissionRequest, earlier: Submission, not_applied: Sequence[NotApplied]
) -> NextStep:
    if earlier.status in (Status.FAILED, Status.CANCELLED):
        return NextStep.RETRY
    # A removed result must not be published by sending its file again.
    is_unpublished = earlier.published_at is None and earlier.disqualified_at is None
    is_wanted = request.is_to_be_published and NotApplied.PUBLISH not in not_applied
    is_ready = is_unpublished and earlier.status == Status.SCORED
    return NextStep.PUBLISH if is_wanted and is_ready else NextStep.NOTHING


def _remember_key(statement: Statement, decision: Decision) -> Decision:
    """Store the idempotency key, or check that it belongs to the same request. Raises KeyReused.

    Who repeats the first request with a key gets its answer.
    """
    request = statement.request
    fingerprint = _fingerprint(statement)
    stored, _ = IdempotencyKey.objects.get_or_create(
        user=request.user,
        key=request.idempotency_key,
        defaults={
            "fingerprint": fingerprint,
            "submission": decision.submission,
            "made_it": decision.created,
        },
    )
    if stored.fingerprint != fingerprint:
        raise KeyReused(
            "This Idempotency-Key came before with another request. Use a new key for a new file."
        )
    return replace(decision, created=True, not_applied=()) if stored.made_it else decision


def _fingerprint(statement: Statement) -> str:
    request, stated = statement.request, statement.stated
    # The digest of the file covers the number of runs.
    parts = [
        request.board.pk,
        request.team.pk,
        request.file.sha256,
        facts_to_store(stated.facts),
        stated.retries,
        stated.deterministic,
        dict(stated.release),
        request.publish,
        request.designate,
        request.unranked,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _require_applied(statement: Statement, decision: Decision) -> None:
    """Raise RequestInvalid with a problem for each part of a strict request that is not applied."""
    is_new, not_applied = not decision.is_repeated, decision.not_applied
    # Those of a public system are applied when the result is published.
    facts = () if is_new and statement.request.is_to_be_published else decision.other_facts
    # What a CI job proves is no field that it could leave out.
    stated = [name for name in facts if name not in RELEASE or name in statement.stated.release]
    names = [request_key(name) for name in stated]
    # Nobody states a provenance: there is nothing to leave out.
    unnamed: tuple[NotApplied, ...] = (
        NotApplied.SYSTEM,
        NotApplied.FACTS,
        NotApplied.RELEASE,
        NotApplied.PROVENANCE,
    )
    if NotApplied.DESIGNATE in not_applied:
        # It implies `publish`, which the request need not name.
        unnamed += (NotApplied.PUBLISH,)
    names += [name for name in not_applied if name not in unnamed]
    if is_new:
        message = "The system is public, so this is applied only when the result is published."
        hint = "Publish the result with it (publish=true), or leave it out."
    else:
        message = "The file was sent before, and this was not applied."
        hint = "Leave it out, or state what was stated then."
    if names:
        code = "facts.not-applied"
        raise RequestInvalid(
            [Problem(code=code, pointer=pointer(name), message=message, hint=hint) for name in names], None
        )
