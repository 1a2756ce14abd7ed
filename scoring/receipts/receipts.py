"""Receipts: what scored a file and which score it has, signed. Format `wardboard-receipt/1`."""

from collections.abc import Iterable, Mapping
from typing import Any

from wardboard.scoring.receipts.canonical import canonical
from wardboard.scoring.receipts.signatures import PublicKey, Signer, decode, encode

FORMAT = "wardboard-receipt/1"


class ReceiptInvalid(ValueError):
    """The receipt is malformed, or no known key has signed it."""


def sign_receipt(content: Mapping[str, Any], signer: Signer) -> dict[str, Any]:
    """Return a receipt: its content, and the signature of the content's canonical JSON."""
    line = _signature_line(signer.key, signer.sign(canonical(content)))
    return {"receipt": content, "signatures": [line]}


def write_receipt(receipt: Mapping[str, Any]) -> bytes:
    """Return a receipt from `sign_receipt` as a file: canonical JSON and a line break."""
    return canonical(receipt) + b"\n"


def verify_receipt(document: Any, keys: Iterable[PublicKey]) -> tuple[Mapping[str, Any], PublicKey]:
    """Return the content of a receipt and the key that signed it.

    Raises ReceiptInvalid, also for what no signature covers: members beside `receipt`, signatures of unknown
    keys, and keys that are not written as they are known.
    """
    try:
        content, lines = document["receipt"], document["signatures"]
        signatures = [(line, str(line["id"]), decode(line["signature"])) for line in lines]
        message = canonical(content)
    except (KeyError, TypeError, ValueError) as error:
        raise ReceiptInvalid(f"this is not a receipt: {error!r}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ReceiptInvalid(f"this is not a receipt of the format {FORMAT}")
    if more := [name for name in document if name not in ("receipt", "signatures")]:
        raise ReceiptInvalid(f"its signature does not cover {', '.join(map(repr, more))[:200]}")
    keys_by_id = {key.id: key for key in keys}
    signers = []
    for line, key_id, signature in signatures:
        if (key := keys_by_id.get(key_id)) is None:
            raise ReceiptInvalid(f"it is signed by {key_id[:40]!r}, which is not among the known keys")
        if not key.verifies(message, signature):
            raise ReceiptInvalid(f"the signature of {key.name} ({key.id}) does not match the receipt")
        if line != _signature_line(key, signature):
            raise ReceiptInvalid(f"the signature of {key.name} ({key.id}) has members that it does not cover")
        signers.append(key)
    if not signers:
        raise ReceiptInvalid("it is signed by nobody")
    return content, signers[0]


def _signature_line(key: PublicKey, signature: bytes) -> dict[str, str]:
    return {"key": key.text, "id": key.id, "signature": encode(signature)}
