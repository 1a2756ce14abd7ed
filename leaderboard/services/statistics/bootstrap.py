"""The bootstrap of a leaderboard: how many times tasks are drawn, and from which seed."""

from leaderboard.models import ReferenceRevision

RESAMPLES = 2_000


def seed_of(revision: ReferenceRevision) -> int:
    """Return the seed of the bootstrap.

    It comes from the digest of the revision, so nobody chose it, and the same tasks are drawn whichever
    systems are on the board.
    """
    return int(revision.digest[:8], 16)
