"""Keys, and logs of leaderboards that exist nowhere, as the service would write them."""

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from wardboard.scoring.receipts.canonical import canonical
from wardboard.scoring.receipts.entries import FORMAT, NOTHING, TEXTS, as_line, commit_to_text, salted
from wardboard.scoring.receipts.signatures import Signer, sign


def make_signer(seed: int = 1) -> Signer:
    """Return a signer whose key follows from a number."""
    private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
    return Signer(base64.b64encode(private.public_key().public_bytes_raw()).decode(), private.sign)


def submission_of(number: int) -> str:
    """Return the id of the submission whose result an event published."""
    return f"00000000-0000-4000-8000-{number:012}"


def make_log(sizes: dict[str, int], *, scores: Sequence[int] = ()) -> bytes:
    """Return a whole log with so many events on each leaderboard, and its signed heads.

    scores: how many tasks of fifty the first systems solve; 30 for the others
    """
    lines, heads = [], {}
    for slug, size in sorted(sizes.items()):
        digest = NOTHING
        for number in range(1, size + 1):
            right = scores[number - 1] if number <= len(scores) else 30
            names = {"system_name": f"Agent {number}", "reason": "ein Grund: 原因" if number % 2 else ""}
            texts = salted(b"secret", slug, number, names)
            entry: dict[str, Any] = {
                "format": FORMAT,
                "board": slug,
                "number": number,
                "previous": digest,
                "at": f"2026-11-01T{9 + number:02}:00:00.000000Z",
                "action": "published",
                "submission": submission_of(number),
                "figures": {"right": right, "total": 50, "score": round(right / 50, 3)},
                **{name: commit_to_text(**texts[name]) if name in texts else None for name in TEXTS},
            }
            body = canonical(entry)
            digest = hashlib.sha256(body).hexdigest()
            lines.append(as_line(body, texts))
        heads[slug] = {"number": size, "digest": digest, "at": entry["at"]}
    return b"".join(lines) + make_head(heads)


def make_head(boards: dict[str, Any], seed: int = 1) -> bytes:
    return sign("head", {"boards": boards}, make_signer(seed))


def head_of(log: bytes) -> bytes:
    """Return the last line of a log."""
    return log.splitlines(keepends=True)[-1]
