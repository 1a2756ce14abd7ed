"""The entries of the log: each names the digest of the one before it on its leaderboard.

Format `wardboard-event/1`. The format is fixed: a later one gets another name, and old entries keep theirs.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from wardboard.scoring.receipts.canonical import digest_of

FORMAT = "wardboard-event/1"
# What the first entry of a leaderboard names as the one before it.
NOTHING = "0" * 64
# The texts of which an entry has only digests.
TEXTS = ("system_name", "reason")
_SALT_BYTES = 16


def make_entry(
    *,
    board: str,
    number: int,
    previous: str,
    at: datetime,
    action: str,
    system: int | None,
    texts: Mapping[str, tuple[str, str]],
    submission: str | None,
    figures: Mapping[str, Any] | None,
    references: Mapping[str, Any] | None,
    judge: str,
    feedback: str,
    mixes_judges: bool,
    rows: Iterable[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return an entry.

    previous: the digest of the entry before it, NOTHING for the first
    texts: of TEXTS, each that is not empty with its salt
    figures: of the result that the event is about
    rows: that the event wrote or removed, in the order of their systems
    """
    return {
        "format": FORMAT,
        "board": board,
        "number": number,
        "previous": previous,
        "at": format_time(at),
        "action": action,
        "system": system,
        **{name: commit_to_text(*texts[name]) if name in texts else None for name in TEXTS},
        "submission": submission,
        "figures": figures,
        "references": references,
        "judge": judge,
        "feedback": feedback,
        "mixes_judges": mixes_judges,
        "rows": sorted(rows, key=lambda row: int(row["system"])),
    }


def digest_of_entry(entry: Mapping[str, Any]) -> str:
    """Return the digest by which the next entry, and every checkpoint, names this one."""
    return digest_of(entry)


def commit_to_text(text: str, salt: str) -> str:
    """Return the digest of a text with a salt before it, as 64 hexadecimal digits.

    Names of people may have to be forgotten: without the salt, nobody can guess the text of a digest, and the
    chain stays whole.
    """
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def salt_of(secret: bytes, board: str, number: int, name: str) -> str:
    """Return the salt of a text, as 32 hexadecimal digits: the same each time for the same secret."""
    place = f"{board}/{number}/{name}".encode()
    return hmac.new(secret, place, hashlib.sha256).digest()[:_SALT_BYTES].hex()


def salted(secret: bytes, board: str, number: int, texts: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return each of `texts` that is not empty with its salt."""
    return {name: (text, salt_of(secret, board, number, name)) for name, text in texts.items() if text}


def format_time(at: datetime) -> str:
    """Return a time as RFC 3339 writes it, in UTC with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
