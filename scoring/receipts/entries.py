"""The entries of the log: each names the digest of the one before it on its leaderboard.

The format is fixed: a later one gets another name, and old entries keep theirs.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from wardboard.scoring.receipts.canonical import canonical

FORMAT = "wardboard-event/1"
# What the first entry of a leaderboard names as the one before it.
NOTHING = "0" * 64
# The texts of which an entry has only digests.
TEXTS = ("system_name", "reason")


def salted(secret: bytes, board: str, number: int, texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return each of `texts` that is not empty as `text` and `salt`: the same each time for one secret."""
    shown = {}
    for name in filter(texts.get, texts):
        salt = hmac.digest(secret, f"{board}/{number}/{name}".encode(), "sha256")[:16].hex()
        shown[name] = {"text": texts[name], "salt": salt}
    return shown


def commit_to_text(text: str, salt: str) -> str:
    """Return the digest of a text with a salt before it, as 64 hexadecimal digits.

    Names of people may have to be forgotten: without the salt, nobody can guess the text of a digest, and the
    chain stays whole.
    """
    return hashlib.sha256(salt.encode() + text.encode()).hexdigest()


def as_line(body: bytes, texts: Mapping[str, Any]) -> bytes:
    """Return a line of a log. body: the entry as canonical JSON; texts: from `salted`"""
    return b'{"entry":%b,"texts":%b}\n' % (body, canonical(texts))


def format_time(at: datetime) -> str:
    """Return a time as RFC 3339 writes it, in UTC with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
