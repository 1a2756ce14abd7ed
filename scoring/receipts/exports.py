"""Signatures of exports: a signed note with the digest of a file's bytes. Format `wardboard-export/1`."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.reading.problems import quote
from wardboard.scoring.receipts.notes import NoteInvalid, SignedNote, read_note, sign_note
from wardboard.scoring.receipts.signatures import PublicKey, Signer
from wardboard.scoring.receipts.verification import COMPARE_KEYS, Verification, carried_keys

FORMAT = "wardboard-export/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportSignature:
    """What a signature states of a file.

    - address: where the service has the same table, with the filters that it was made with
    - sha256: of its bytes, as hexadecimal digits
    """

    name: str
    address: str
    sha256: str


def sign_export(parts: Iterable[bytes], *, name: str, address: str, signer: Signer) -> str:
    """Return the signature of the file that consists of `parts`. Raises NoteInvalid.

    name, address: without line breaks
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return sign_note("\n".join([FORMAT, name, address, digest.hexdigest(), ""]), signer)


def _read(note: SignedNote) -> ExportSignature:
    """Return what a verified note states. Raises NoteInvalid for one that is not about an export."""
    kind, *lines = note.text.removesuffix("\n").split("\n")
    if kind != FORMAT or len(lines) != 3:
        raise NoteInvalid(f"it is not a signature of the format {FORMAT}")
    name, address, sha256 = lines
    return ExportSignature(name=name, address=address, sha256=sha256)


def verify_export(
    raw: bytes,
    signature: bytes | None,
    keys: Sequence[PublicKey],
    carried: Sequence[Any],
    verification: Verification,
) -> None:
    """Verify the signature of an export over its bytes, and add to `verification` what it shows.

    keys: that the caller trusts; without any, those that the export carries
    """
    if signature is None:
        verification.statements.append(
            "Nothing covers its bytes: names and other columns may have been changed. Give its signature "
            "(--signature)."
        )
        return
    if verification.kind != "export":
        text = f"It is a {verification.kind}, which needs no signature beside it."
        verification.add("export.not-signed", text, "Leave out --signature.")
        return
    try:
        note = read_note(signature.decode(errors="replace"))
        (key, *_) = note.verify(keys or carried_keys(carried, verification))
        stated = _read(note)
    except (NoteInvalid, ValueError) as error:
        verification.add("export.not-signed", f"Its signature does not verify: {error}", COMPARE_KEYS)
        return
    if hashlib.sha256(raw).hexdigest() != stated.sha256:
        text = f"Its bytes are not those of {quote(stated.name)}, which {key.name} ({key.id}) signed."
        verification.add(
            "export.bytes-changed", text, "Download it and its signature again, one right after the other."
        )
        return
    verification.verdict = "verified"
    verification.statements.append(
        f"Every byte of it is signed by {key.name} ({key.id}), as {quote(stated.name)} of "
        f"{quote(stated.address)}."
    )
