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
    stored = UsedVerdicts.objects.filter(pk=submission.pk).first()
    return set(_keys_of(stored)) if stored else set()


def _keys_of(stored: UsedVerdicts) -> list[bytes]:
    joined = bytes(stored.keys)
    return [joined[start : start + _KEY] for start in range(0, len(joined), _KEY)]


def publish_verdicts(*submissions: Submission) -> None:
    """Make the verdicts behind results public; repeating it is harmless.

    An answer that has a public verdict keeps it.
    """
    stored = {used.submission_id: used for used in UsedVerdicts.objects.filter(pk__in=submissions)}
    for submission in submissions:
        if submission.pk not in stored:
            continue
        verdicts = DatabaseLedger(submission=submission).find_stored(_keys_of(stored[submission.pk]))
        PublicVerdict.objects.bulk_create(
            # Sort them: two results that are published at once must not wait for each other.
            [
                PublicVerdict(key=key, correct=correct, served=served)
                for key, (correct, served) in sorted(verdicts.items())
            ],
            ignore_conflicts=True,
            batch_size=_BATCH,
        )
