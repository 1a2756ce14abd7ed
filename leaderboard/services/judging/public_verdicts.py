"""Make the verdicts behind a published result known to all teams."""

from collections.abc import Collection

from leaderboard.models import PublicVerdict, Submission, UsedVerdicts
from leaderboard.services.judging.budget import DatabaseLedger

_KEY = 32  # bytes
_BATCH = 500  # rows in one query


def store_used(*, submission: Submission, keys: Collection[bytes]) -> None:
    """Store the keys of the verdicts that the result of a submission goes by."""
    if keys:
        packed = {"keys": b"".join(sorted(keys))}
        UsedVerdicts.objects.update_or_create(submission=submission, defaults=packed)


def used_by(submission: Submission) -> set[bytes]:
    """Return the keys of the verdicts that the result of a submission goes by."""
    packed = UsedVerdicts.objects.filter(pk=submission.pk).values_list("keys", flat=True).first()
    joined = bytes(packed or b"")
    return {joined[start : start + _KEY] for start in range(0, len(joined), _KEY)}


def publish_verdicts(*, submission: Submission) -> None:
    """Make the verdicts behind a result public; repeating it is harmless.

    An answer that has a public verdict keeps it.
    """
    verdicts = DatabaseLedger(submission=submission).stored_verdicts(list(used_by(submission)))
    PublicVerdict.objects.bulk_create(
        # Sort them: two results that are published at once must not wait for each other.
        [PublicVerdict(key=key, correct=verdicts[key]) for key in sorted(verdicts)],
        ignore_conflicts=True,
        batch_size=_BATCH,
    )
