"""The public log of the service under test, as anybody downloads and verifies it."""

from leaderboard.services.record import keys
from leaderboard.services.record.chain import read_heads, write_log
from wardboard.scoring.receipts.verify import verify


def whole_log() -> bytes:
    return "".join(write_log(read_heads())).encode()


def own_keys() -> list[str]:
    return [key.public_key for key, _until in keys.published_keys()]


def verify_log(*kept: bytes) -> list[str]:
    """Return what holds of the log. Raises NotVerified. kept: with what it must agree"""
    return verify(whole_log(), keys=own_keys(), kept=kept)
