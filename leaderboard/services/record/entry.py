"""Say which published result stands for a system on a leaderboard, and why that one.

`SubmissionQuerySet.entry_first` decides which, never the score.
"""

import uuid
from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.translation import gettext_noop

from leaderboard.models import Kind, Standing, Status, Submission
from leaderboard.services.rows.same_name import is_same_version
from leaderboard.services.visibility import ranked_metric, upper_end, visible_score


class EntryReason(TextChoices):
    """Why a result is the entry of its system: the code for programs, and a sentence of it as "it"."""

    ONLY = "only-result", gettext_noop("It is the only published result of the system.")
    DESIGNATED_LAST = (
        "designated-last",
        gettext_noop(
            "It is the first file of its version that was designated before scoring, and the newest such "
            "file is the entry."
        ),
    )
    SENT_FIRST = (
        "sent-first",
        gettext_noop(
            "It was sent first for publication, and the first one is the entry, whatever the scores."
        ),
    )
    PUBLISHED_FIRST = (
        "published-first",
        gettext_noop("It was published first, and the first one is the entry, whatever the scores."),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The result that a leaderboard shows for a system.

    score: the ranked figure, 0..1, as the row shows it
    upper: its upper end, where the judge left answers open; None elsewhere
    """

    submission_id: uuid.UUID
    score: float
    upper: float | None
    reason: EntryReason
    is_this: bool


def entry_of(submission: Submission) -> Entry | None:
    """Return the entry of a submission's system on its leaderboard; None while nothing of it is published."""
    rows = Standing.objects.filter(board=submission.board_id, system=submission.system_id)
    row = rows.filter(kind=Kind.RESCORED).values_list("evaluation__submission", "score", "metrics").first()
    if row is None:
        return None
    chosen_id, score, metrics = row
    assert score is not None, "a rescored row has a score"
    return Entry(
        submission_id=chosen_id,
        score=visible_score(score, Kind.RESCORED),
        upper=upper_end(ranked_metric(submission.board), score, metrics),
        reason=_reason_of(submission, chosen_id),
        is_this=chosen_id == submission.pk,
    )


def _reason_of(submission: Submission, chosen_id: uuid.UUID) -> EntryReason:
    published = Submission.objects.filter(board=submission.board_id, system=submission.system_id).published()
    choices = {
        pk: (designated, sent)
        for pk, designated, sent in published.values_list("pk", "designated", "sent_for_publication")
    }
    # A result that was withdrawn in this moment is no longer among them.
    designated, sent = choices.pop(chosen_id, (False, False))
    if not choices:
        return EntryReason.ONLY
    if designated:
        return EntryReason.DESIGNATED_LAST
    return EntryReason.SENT_FIRST if sent else EntryReason.PUBLISHED_FIRST


def next_designation(submission: Submission) -> int | None:
    """Return which designated file of its system the submission is or would be, counted from 1 on its board.

    None where it cannot be the entry by designation: only the first designated file of a version can, and of
    several versions all but the first have to be stated. A file counts whatever became of its result, unless
    it was rejected, or cancelled before it had one. The caller has the team locked.
    """
    if submission.designation is not None:
        return submission.designation
    earlier = Submission.objects.filter(
        board=submission.board_id, system=submission.system_id, designated=True
    ).exclude(status=Status.REJECTED)
    versions = list(earlier.exclude(pk=submission.pk).values_list("version", flat=True))
    taken = [*versions, ""] if versions else []
    if any(is_same_version(submission.version, version) for version in taken):
        return None
    return len(versions) + 1
