"""Signed notes: a text, an empty line, and a line for each signature. Source: C2SP signed-note."""

from collections.abc import Iterable
from dataclasses import dataclass

from wardboard.scoring.receipts.signatures import PublicKey, Signer, decode, encode

_DASH = "— "
_HASH_BYTES = 4


class NoteInvalid(ValueError):
    """The note is malformed, or no known key has signed it."""


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A line of a note: the name of the key, its hash (4 bytes), and the signature."""

    name: str
    key_hash: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A note as it was read. text: what is signed, with the line break at its end."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def verify(self, keys: Iterable[PublicKey]) -> list[PublicKey]:
        """Return those of `keys` that signed. Raises NoteInvalid where none did, or one did wrongly."""
        keys_by_id = {(key.name, key.key_hash): key for key in keys}
        signers = []
        for line in self.signatures:
            key = keys_by_id.get((line.name, line.key_hash))
            if key is None:
                continue
            if not key.verifies(self.text.encode(), line.signature):
                raise NoteInvalid(f"the signature of {key.name} ({key.id}) does not match the text")
            signers.append(key)
        if not signers:
            names = ", ".join(f"{line.name} ({line.key_hash.hex()})" for line in self.signatures)
            raise NoteInvalid(f"it is signed by {names}, which is not among the known keys")
        return signers


def sign_note(text: str, signer: Signer) -> str:
    """Return the signed note of `text`. Raises NoteInvalid for a text that a note cannot have."""
    _require_text(text)
    line = encode(signer.key.key_hash + signer.sign(text.encode()))
    return f"{text}\n{_DASH}{signer.key.name} {line}\n"


def read_note(note: str) -> SignedNote:
    """Take a note apart, without verifying it. Raises NoteInvalid."""
    # Split at the last empty line: the text may have empty lines too.
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise NoteInvalid("a note ends with an empty line and lines of signatures")
    text += "\n"
    _require_text(text)
    return SignedNote(text, tuple(map(_read_line, signatures.removesuffix("\n").split("\n"))))


def _require_text(text: str) -> None:
    if not text.endswith("\n"):
        raise NoteInvalid("the text of a note ends with a line break")
    if any(c < " " and c != "\n" for c in text):
        raise NoteInvalid("the text of a note has no control characters but line breaks")


def _read_line(line: str) -> NoteSignature:
    name, separator, text = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not separator or not name:
        raise NoteInvalid(f"{line[:60]!r} is not a line of a signature: — NAME BASE64")
    try:
        raw = decode(text)
    except ValueError as error:
        raise NoteInvalid(str(error)) from error
    if len(raw) <= _HASH_BYTES:
        raise NoteInvalid("a signature begins with four bytes that name its key")
    return NoteSignature(name, raw[:_HASH_BYTES], raw[_HASH_BYTES:])
