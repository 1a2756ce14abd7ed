"""Receipts: what scored a file and which score it has, signed. Format `wardboard-receipt/1`."""

from collections.abc import Iterable, Mapping
from typing import Any

from scoring.receipts.canonical import canonical
from scoring.receipts.signatures import PublicKey, Signer, decode, encode

FORMAT = "wardboard-receipt/1"


class ReceiptInvalid(ValueError):
    """The receipt is malformed, or no known key has signed it."""


def sign_receipt(content: Mapping[str, Any], signer: Signer) -> dict[str, Any]:
    """Return a receipt: its content, and the signature of the content's canonical JSON."""
    signature = encode(signer.sign(canonical(content)))
    line = {"key": signer.key.text, "id": signer.key.id, "signature": signature}
    return {"receipt": content, "signatures": [line]}


def verify_receipt(document: Any, keys: Iterable[PublicKey]) -> tuple[Mapping[str, Any], PublicKey]:
    """Return the content of a receipt and the key that signed it. Raises ReceiptInvalid."""
    try:
        content, lines = document["receipt"], document["signatures"]
        signatures = [(str(line["id"]), decode(line["signature"])) for line in lines]
        message = canonical(content)
    except (KeyError, TypeError, ValueError) as error:
        raise ReceiptInvalid(f"this is not a receipt: {error!r}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ReceiptInvalid(f"this is not a receipt of the format {FORMAT}")
    known = {key.id: key for key in keys}
    for key_id, signature in signatures:
        if (key := known.get(key_id)) is None:
            continue
        if not key.verifies(message, signature):
            raise ReceiptInvalid(f"the signature of {key.name} ({key.id}) does not match the receipt")
        return content, key
    ids = ", ".join(key_id for key_id, _ in signatures) or "nobody"
    raise ReceiptInvalid(f"it is signed by {ids}, and that is none of the known keys")
