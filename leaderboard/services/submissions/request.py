"""What a request asks for, and what is decided about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from leaderboard.models import Board, CiJob, Submission, Team, User
from leaderboard.services.files.store import StoredFile


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
    PUBLISH: it was withdrawn or disqualified, or the request describes another one
        (`Difference.is_described`)
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

    CHECK: have a worker read the file. GRADE: have it graded. SCORE: grade it, which the row is claimed for.
    RETRY: queue again what failed or was cancelled. PUBLISH: publish what is scored.
    """

    NOTHING = "nothing"
    CHECK = "check"
    GRADE = "grade"
    SCORE = "score"
    RETRY = "retry"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of a request: its submission, and what of the request does not hold.

    A repeated request with the same idempotency key gets the answer that the first one got.

    is_repeated: whether an earlier request had stored the submission.
    created: whether the answer says that the request created it: the first with its key did.
    next_step: to be done once the decision is stored.
    not_applied: what the request asked for in vain, as the submission existed before.
    other_facts: fields of the system, and of `Release`, that the request states and that were not applied.
    """

    submission: Submission
    is_repeated: bool
    created: bool
    next_step: NextStep = NextStep.NOTHING
    not_applied: Sequence[NotApplied] = ()
    other_facts: Sequence[str] = ()
