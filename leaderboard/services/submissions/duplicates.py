"""Recognise a file that was sent before: say what was not applied, and refuse unread what cannot be one."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from leaderboard.models import Board, CiJob, ProvenanceLevel, Status, Submission, Team, User
from leaderboard.services.data_class import VERSION
from leaderboard.services.errors import RequestInvalid
from leaderboard.services.files import store
from leaderboard.services.files.store import StoredFile
from leaderboard.services.publishing.publish import disqualified_twin
from leaderboard.services.publishing.system_facts import is_of_system, other_facts
from leaderboard.services.record.entry import next_designation
from leaderboard.services.submissions import quotas
from leaderboard.services.submissions.stated_facts import Stated
from leaderboard.services.trusted_publishing.provenance import provenance_of, verified_release
from wardboard.scoring.facts import is_same_commit, request_key
from wardboard.scoring.reading.problems import Problem, pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRequest:
    """A file sent to a leaderboard, and what its sender states with it.

    user: the sender.
    team: whose submission it will be.
    board: the leaderboard, with its active revision.
    file: the stored file, of one or several runs, which `submit` takes over.
    facts: facts about the system and its runs by the names that requests use, not yet checked.
    filename: the name that the sender gave the file, or the archive of several.
    idempotency_key: "" for none.
    publish: whether to publish the result as soon as it is scored.
    designate: whether, besides, it becomes its system’s entry, whatever its score; implies `publish`.
    address: the sender's network address, "" where it is not known.
    acknowledgement: the version of the terms on credentialed data that the sender acknowledges, "" for none.
    strict: codes of the warnings that are problems, empty for all; a fact that is not applied is one too.
        None where warnings are only shown.
    ci_job: that sends it, with a token that was exchanged for it; None for an account.
    unranked: whether only an unranked lane may take it.
    """

    user: User
    team: Team
    board: Board
    file: StoredFile
    facts: Mapping[str, Any]
    filename: str = ""
    idempotency_key: str = ""
    publish: bool = False
    designate: bool = False
    address: str = ""
    acknowledgement: str = ""
    strict: frozenset[str] | None = None
    ci_job: CiJob | None = None
    unranked: bool = False

    @property
    def is_to_be_published(self) -> bool:
        """Whether the result is published as soon as it is scored."""
        return self.publish or self.designate


class NotApplied(StrEnum):
    """A wish of a request that an earlier submission of the same files does not follow.

    SYSTEM: it is of another system
    DESIGNATE: its score was seen before it was designated, its version has a designated file, or it is of
        another system
    PUBLISH: it was withdrawn or disqualified, or the request describes another one (`is_described`)
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


def same_files(request: SubmissionRequest) -> QuerySet[Submission]:
    """Select what the team sent to the board before: the same bytes, of several files in any order."""
    return Submission.objects.filter(board=request.board, team=request.team, sha256=request.file.sha256)


def update_duplicate(duplicate: Submission, request: SubmissionRequest, stated: Stated) -> None:
    """Apply what can be applied of a request to an earlier submission. Raises StorageSpent."""
    is_stopped = duplicate.status in (Status.FAILED, Status.CANCELLED)
    if request.board.is_credentialed and not duplicate.acknowledged:
        duplicate.acknowledged, duplicate.acknowledged_at = VERSION, timezone.now()
        duplicate.save(update_fields=["acknowledged", "acknowledged_at"])
    commit = _release(request, stated).get("commit", "")
    is_fuller = is_same_commit(duplicate.commit, commit) and len(commit) > len(duplicate.commit)
    if is_fuller and not duplicate.published_at:
        duplicate.commit = commit
        duplicate.save(update_fields=["commit"])
    is_waiting = duplicate.is_pending or is_stopped
    if request.is_to_be_published and is_waiting and is_described(duplicate, request, stated):
        # It has no score yet, so its team has not seen one.
        if request.designate:
            duplicate.designation = next_designation(duplicate)
        duplicate.designated = duplicate.designated or duplicate.designation is not None
        duplicate.publish_when_scored = duplicate.sent_for_publication = True
        wishes = ["publish_when_scored", "sent_for_publication", "designated", "designation"]
        duplicate.save(update_fields=wishes)
    if is_stopped and not store.can_be_scored(duplicate.stored_as):
        # Its file is lost, after a restore without the uploads, say. This one has the same bytes; of several
        # files, perhaps in another order.
        quotas.spend_storage(request.board, request.team, request.user, request.file.size)
        duplicate.stored_as, duplicate.kept_bytes = request.file.id, request.file.size
        duplicate.run_files = [asdict(run) for run in request.file.runs] or None
        duplicate.save(update_fields=["stored_as", "kept_bytes", "run_files"])


def not_applied(duplicate: Submission, request: SubmissionRequest, stated: Stated) -> list[NotApplied]:
    """Return what of a request does not hold for an earlier submission, after `update_duplicate`."""
    wishes: list[NotApplied] = []
    is_of_other = not is_of_system(duplicate, stated.facts.name)
    if is_of_other:
        wishes.append(NotApplied.SYSTEM)
    if request.designate and (is_of_other or not duplicate.designated):
        wishes.append(NotApplied.DESIGNATE)
    is_public = duplicate.is_published and not is_of_other
    is_left = was_removed(duplicate) or not (is_public or is_described(duplicate, request, stated))
    if request.is_to_be_published and is_left:
        wishes.append(NotApplied.PUBLISH)
    if other_facts(duplicate, stated.facts):
        wishes.append(NotApplied.FACTS)
    if stated.retries and stated.retries != duplicate.retries:
        wishes.append(NotApplied.RETRIES)
    if stated.deterministic not in (None, duplicate.deterministic):
        wishes.append(NotApplied.DETERMINISTIC)
    if other_release(duplicate, request, stated):
        wishes.append(NotApplied.RELEASE)
    levels = list(ProvenanceLevel)
    level = provenance_of(request.ci_job)
    if levels.index(level) > levels.index(ProvenanceLevel(duplicate.provenance)):
        wishes.append(NotApplied.PROVENANCE)
    return wishes


def was_removed(duplicate: Submission) -> bool:
    """Return whether its result was withdrawn or disqualified."""
    return bool(duplicate.withdrawn_at or duplicate.disqualified_at)


def is_described(duplicate: Submission, request: SubmissionRequest, stated: Stated) -> bool:
    """Return whether a request describes the earlier submission: its system, facts, version and commit.

    Only then may the request publish it: the file may be a stale one of another version. A repeated CI job
    has another run link, and a note is free text.
    """
    return (
        is_of_system(duplicate, stated.facts.name)
        and not other_facts(duplicate, stated.facts)
        and not {"version", "commit"} & set(other_release(duplicate, request, stated))
    )


def other_release(duplicate: Submission, request: SubmissionRequest, stated: Stated) -> list[str]:
    """Return the fields of `Release` that are stated, or proved by the CI job, otherwise than before.

    A commit may be stated with fewer digits than before, or with more.
    """
    return [
        name
        for name, value in _release(request, stated).items()
        if getattr(duplicate, name) != value
        and not (name == "commit" and is_same_commit(duplicate.commit, value))
    ]


def _release(request: SubmissionRequest, stated: Stated) -> dict[str, str]:
    """Return the fields of `Release` that a request states, or that its CI job proves."""
    return {**stated.release, **verified_release(request.ci_job)}


def require_applied(facts: Sequence[str], wishes: Sequence[NotApplied], *, is_new: bool) -> None:
    """Raise RequestInvalid with a problem for each fact and wish of a strict request that does not hold.

    facts: fields of the system and of `Release`. is_new: whether the file was not sent before.
    """
    names = [request_key(name) for name in facts]
    # Nobody states a provenance: there is nothing to leave out.
    unnamed: tuple[NotApplied, ...] = (
        NotApplied.SYSTEM,
        NotApplied.FACTS,
        NotApplied.RELEASE,
        NotApplied.PROVENANCE,
    )
    if NotApplied.DESIGNATE in wishes:
        # It implies `publish`, which the request need not name.
        unnamed += (NotApplied.PUBLISH,)
    names += [wish for wish in wishes if wish not in unnamed]
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


def can_be_published(submission: Submission) -> bool:
    """Return whether submitting a file again may publish it, which a removed one must not be."""
    is_unpublished = submission.published_at is None and submission.disqualified_at is None
    is_ready = is_unpublished and submission.status == Status.SCORED
    return is_ready and disqualified_twin(submission) is None


def refuse_unread(
    board: Board, team: Team | None, user: User, *, digest: str, length: int, framing: int
) -> None:
    """Raise what a file that the team may not send would meet, before its body is read.

    Nothing is locked and nothing spent: a file that comes through here is counted when it is saved. A body
    that may bring what the team has sent before comes through, as the same files cost nothing.

    digest: of the sender's network address, as `quotas.address_digest` returns it.
    length: of the body in bytes. framing: how many of them at most are not of the file.
    Raises EmailUnverified, ApprovalNeeded, QuotaSpent, StorageSpent.
    """
    if not board.is_open:
        return
    # Several files come in forms and archives, of any length.
    may_be_same = Q(run_files__isnull=False) | Q(size_bytes__range=(length - framing, length))
    if Submission.objects.filter(may_be_same, board=board, team=team).exists():
        return
    now = timezone.now()
    left = quotas.allowance(board, team, user, now, digest=digest)
    quotas.require(left, board, now, size=1, runs=1)
