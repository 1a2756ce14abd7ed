"""Checkpoints: the last event of every leaderboard with its digest, as the text of a signed note.

The first three lines are as in C2SP tlog-checkpoint: origin, size, hash. The hash is not that of a tree, but
the SHA-256 of the lines that follow: LEADERBOARD NUMBER DIGEST, one for each.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from wardboard.scoring.receipts.notes import NoteInvalid, SignedNote
from wardboard.scoring.receipts.signatures import decode, encode


@dataclass(frozen=True, slots=True)
class Head:
    """The last event of a leaderboard: its number, and its digest in hexadecimal digits."""

    number: int
    digest: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A state of the log. size: events of all leaderboards together. heads: slug -> last event."""

    origin: str
    size: int
    heads: Mapping[str, Head]


def write_checkpoint(origin: str, heads: Mapping[str, Head]) -> str:
    """Return the text of a checkpoint; the order of `heads` does not matter."""
    lines = "".join(
        f"{slug} {head.number} {encode(bytes.fromhex(head.digest))}\n" for slug, head in sorted(heads.items())
    )
    size = sum(head.number for head in heads.values())
    return f"{origin}\n{size}\n{_hash(lines)}\n{lines}"


def read_checkpoint(note: SignedNote) -> Checkpoint:
    """Read the text of a note as a checkpoint. Raises NoteInvalid."""
    try:
        origin, size, stated, *lines = note.text.removesuffix("\n").split("\n")
        heads = {slug: Head(int(number), decode(digest).hex()) for slug, number, digest in map(_parts, lines)}
        checkpoint = Checkpoint(origin, int(size), heads)
    except ValueError as error:
        raise NoteInvalid(f"this note is not a checkpoint: {error}") from error
    if stated != _hash("".join(f"{line}\n" for line in lines)):
        raise NoteInvalid("the third line of the checkpoint is not the hash of the lines below it")
    if checkpoint.size != sum(head.number for head in heads.values()):
        raise NoteInvalid("the second line of the checkpoint is not the number of all events")
    return checkpoint


def _parts(line: str) -> tuple[str, str, str]:
    slug, number, digest = line.split(" ")
    return slug, number, digest


def _hash(lines: str) -> str:
    return encode(hashlib.sha256(lines.encode()).digest())
