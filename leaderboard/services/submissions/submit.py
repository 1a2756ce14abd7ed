"""Taking in a file: checked, stored with its provenance, and on its way to be scored."""

import hashlib
import logging
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.models import (
    AuditEvent,
    Benchmark,
    IdempotencyKey,
    Status,
    Submission,
    System,
    Team,
    User,
)
from leaderboard.services import audit, background
from leaderboard.services.background import Task
from leaderboard.services.errors import (
    BoardClosed,
    FactsInvalid,
    KeyReused,
    RequestInvalid,
    WrongState,
)
from leaderboard.services.files import store
from leaderboard.services.files.read import check_file, extract_records
from leaderboard.services.files.store import StoredFile
from leaderboard.services.publishing import publish as publishing
from leaderboard.services.submissions import admit, grade, quotas
from leaderboard.services.submissions.facts import StatedFacts, parse_facts, save_stated_system
from scoring.benchmark import Reading
from scoring.reading.problems import SubmissionInvalid

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitResult:
    """A submission, and whether this request made it (or it was there already). A repeat with the same
    idempotency key is told what the first was told."""

    submission: Submission
    created: bool


def check(*, benchmark: Benchmark, file: StoredFile) -> Reading:
    """Return what the file holds; keeps nothing. Raises SubmissionInvalid, BoardClosed."""
    if not benchmark.is_open:
        raise BoardClosed(
            gettext("%(title)s has no ground truth yet: its tasks are not known here.")
            % {"title": gettext(benchmark.title)}
        )
    return check_file(benchmark=benchmark, file=file)


def submit(
    *,
    user: User,
    team: Team,
    benchmark: Benchmark,
    file: StoredFile,
    said: dict,
    filename: str = "",
    idempotency_key: str = "",
    publish: bool = False,
) -> SubmitResult:
    """Take in `file` as the team's submission to `benchmark`, and score it or queue it; the file is taken
    over, whatever becomes of it.

    The same bytes from the same team for the same board give the same submission, not a second one; one
    that failed through our fault, or was cancelled, is tried again. A file with problems is kept as a
    rejected submission with its report (`submission.problems`), without its bytes. A large file is checked
    in the background. publish: put it on the board as soon as it is scored. Raises BoardClosed, KeyReused,
    QuotaSpent, and RequestInvalid when the facts are wrong (with the file's problems beside them).
    """
    try:
        taken = _submit(
            user=user,
            team=team,
            benchmark=benchmark,
            file=file,
            said=said,
            filename=filename,
            idempotency_key=idempotency_key,
            publish=publish,
        )
    except Exception:
        # A row may name it already. Where the database cannot say, the sweep removes what is left.
        if not Submission.objects.filter(stored_as=file.id).exists():
            store.remove(file.id)
        raise
    if taken.submission.stored_as != file.id:
        store.remove(file.id)
    return taken


def _submit(*, user, team, benchmark, file, said, filename, idempotency_key, publish) -> SubmitResult:
    if not benchmark.is_open:
        raise BoardClosed(
            gettext("%(title)s takes no files yet: its ground truth has not been imported.")
            % {"title": gettext(benchmark.title)}
        )
    facts = _facts_or_every_problem(benchmark, file, said)
    about = f"{benchmark.pk}\n{file.sha256}\n{facts!r}\n{publish}"
    fingerprint = hashlib.sha256(about.encode()).hexdigest()
    is_large = admit.is_checked_later(file)
    reading = None if is_large else _look(benchmark, file)
    stale = Submission.objects.filter(
        benchmark=benchmark, team=team, sha256=file.sha256, status=Status.REJECTED
    )
    known = stale.select_related("benchmark__active_revision").first()
    if not is_large and reading is None and known is not None and admit.still_rejected(known, file):
        _remember_key(user, idempotency_key, fingerprint, SubmitResult(submission=known, created=False))
        return SubmitResult(submission=Submission.objects.with_result().get(pk=known.pk), created=False)
    store.settle(file.id)
    clash: IntegrityError | None = None
    for _ in range(2):
        # Twice: the loser of a race with the same bytes finds the winner's row the second time.
        try:
            with transaction.atomic():
                taken = _take(
                    user=user,
                    team=team,
                    benchmark=benchmark,
                    file=file,
                    facts=facts,
                    filename=filename,
                    publish=publish,
                    is_good=is_large or reading is not None,
                    is_known_good=reading is not None,
                )
                created = _remember_key(user, idempotency_key, fingerprint, taken)
            break
        except IntegrityError as error:
            clash = error
    else:
        raise clash
    return SubmitResult(
        submission=_go_on(taken, reading, is_large, publish=publish, by=user), created=created
    )


def _look(benchmark: Benchmark, file: StoredFile) -> Reading | None:
    """Return what the file holds, and keep it for scoring; None where it cannot be scored, for a reason that
    `admit` finds again."""
    try:
        return extract_records(benchmark=benchmark, file_id=file.id)
    except SubmissionInvalid:
        return None
    except Exception:
        # A fault of the checker must not keep the file from being stored, with what became of it.
        logger.exception("a file could not be checked")
        return None


def _facts_or_every_problem(benchmark: Benchmark, file: StoredFile, said: dict) -> StatedFacts:
    try:
        return parse_facts(said)
    except FactsInvalid as error:
        if admit.is_checked_later(file):
            raise RequestInvalid(error.problems, None) from error
        try:
            check(benchmark=benchmark, file=file)
        except SubmissionInvalid as also:
            raise RequestInvalid(error.problems, also.problems, also.warnings) from error
        raise RequestInvalid(error.problems, None) from error


def _remember_key(user: User, key: str, fingerprint: str, taken: SubmitResult) -> bool:
    """Keep the key, or check that it came with the same request.

    Returns whether the first request with it made the submission, which is what a repeat is told too.
    """
    if not key:
        return taken.created
    about = {"fingerprint": fingerprint, "submission": taken.submission, "made_it": taken.created}
    known, _ = IdempotencyKey.objects.get_or_create(user=user, key=key, defaults=about)
    if known.fingerprint != fingerprint:
        raise KeyReused(
            "This Idempotency-Key came before with another request. Use a new key for a new file."
        )
    return known.made_it


def _take(*, user, team, benchmark, file, facts, filename, publish, is_good, is_known_good) -> SubmitResult:
    # Locked first: quota, twin and system name are looked up and written under one lock a team.
    Team.objects.select_for_update().get(pk=team.pk)
    twin = (
        Submission.objects.filter(benchmark=benchmark, team=team, sha256=file.sha256)
        .exclude(status=Status.REJECTED)
        .first()
    )
    if twin is not None:
        if publish and (twin.is_pending or twin.status in (Status.FAILED, Status.CANCELLED)):
            Submission.objects.filter(pk=twin.pk).update(publish_when_scored=True)
        if twin.status in (Status.FAILED, Status.CANCELLED) and not store.can_be_scored(twin.stored_as):
            # Its own file is lost, restored without the uploads, say. These are the same bytes.
            twin.stored_as = file.id
            twin.save(update_fields=["stored_as"])
        return SubmitResult(submission=twin, created=False)
    now = timezone.now()
    quotas.spend_submission(benchmark, team, now)
    if not is_known_good:
        quotas.spend_rejection(team, now)
    # A file that is rejected must not change what the board says of the system.
    system = None if is_good else System.objects.filter(team=team, name__iexact=facts.name).first()
    submission = Submission.objects.create(
        benchmark=benchmark,
        team=team,
        submitted_by=user,
        system=system or save_stated_system(team=team, facts=facts, by=user),
        sha256=file.sha256,
        size_bytes=file.size,
        stored_as=file.id,
        filename=_printable(filename),
        publish_when_scored=publish,
        received_at=now,
        moved_at=now,
    )
    audit.record(AuditEvent.Action.SUBMITTED, actor=user, submission=submission, sha256=file.sha256)
    return SubmitResult(submission=submission, created=True)


def _printable(filename: str) -> str:
    return "".join(c for c in filename if c.isprintable())[:255]


def _may_be_published(submission: Submission) -> bool:
    """Whether it is published for being sent again: what was taken off the board stays off."""
    is_fresh = submission.published_at is None and submission.disqualified_at is None
    is_ready = is_fresh and submission.status == Status.SCORED
    return is_ready and publishing.disqualified_twin(submission) is None


def _go_on(
    taken: SubmitResult, reading: Reading | None, is_large: bool, *, publish: bool, by: User
) -> Submission:
    """Send a fresh file to be scored; take up again what failed or was left lying; publish what may be."""
    submission = taken.submission
    if submission.status == Status.RECEIVED:
        if is_large:
            # A twin is being checked, or the sweep sends it again.
            if taken.created:
                background.enqueue(Task.ADMIT, submission.pk, is_long=True)
        else:
            # What was read is what lies in the file of this request, not in that of an earlier one.
            admit.admit(submission_id=submission.pk, reading=reading if taken.created else None)
    elif submission.status in (Status.FAILED, Status.CANCELLED):
        try:
            grade.retry(submission_id=submission.pk, by=by)
        except WrongState:
            logger.info("submission %s was taken up by another request", submission.pk)
    elif publish and _may_be_published(submission):
        publishing.publish(submission_id=submission.pk, team=submission.team, by=by)
    return Submission.objects.with_result().get(pk=submission.pk)
