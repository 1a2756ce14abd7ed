"""Keys, and logs of leaderboards that exist nowhere, as the service would write them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from wardboard.scoring.receipts.canonical import canonical
from wardboard.scoring.receipts.checkpoints import Head, write_checkpoint
from wardboard.scoring.receipts.entries import NOTHING, digest_of_entry, make_entry, salted
from wardboard.scoring.receipts.log_file import as_last_line, as_line
from wardboard.scoring.receipts.notes import sign_note
from wardboard.scoring.receipts.signatures import PublicKey, Signer

NAME = "leaderboards.example.org/wardboard"
_START = datetime(2026, 11, 1, 9, tzinfo=UTC)


def make_signer(seed: int = 1, name: str = NAME) -> Signer:
    """Return a signer whose key follows from a number."""
    private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
    raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return Signer(PublicKey(name, raw), private.sign)


def make_log(sizes: dict[str, int], *, scores: Sequence[int] = (), signer: Signer | None = None) -> bytes:
    """Return a whole log with so many events on each leaderboard, and a signed checkpoint.

    scores: how many tasks of fifty the first systems solve; 30 for the others
    """
    signer = signer or make_signer()
    lines, heads = [], {}
    for slug, size in sorted(sizes.items()):
        digest = NOTHING
        for number in range(1, size + 1):
            right = scores[number - 1] if number <= len(scores) else 30
            figures = {"right": right, "total": 50, "score": round(right / 50, 3)}
            row = {"system": number, "kind": "rescored", "judge": "", **figures, "removed": False}
            names = {"system_name": f"Agent {number}", "reason": "ein Grund: 原因" if number % 2 else ""}
            texts = salted(b"secret", slug, number, names)
            entry = make_entry(
                board=slug,
                number=number,
                previous=digest,
                at=_START + timedelta(hours=number),
                action="published",
                system=number,
                texts=texts,
                submission=f"00000000-0000-4000-8000-{number:012}",
                figures=figures,
                references={"revision": 1, "commitment": "ab" * 32},
                judge="",
                feedback="by-type",
                mixes_judges=False,
                rows=[row],
            )
            digest = digest_of_entry(entry)
            shown = {name: {"text": text, "salt": salt} for name, (text, salt) in texts.items()}
            lines.append(as_line(canonical(entry).decode(), digest, shown))
        heads[slug] = Head(size, digest)
    note = sign_note(write_checkpoint(signer.key.name, heads), signer)
    return b"".join(lines) + as_last_line(note, [signer.key.text])
