"""Signed statements: JSON with an Ed25519 signature (RFC 8032) over its canonical form (RFC 8785)."""

import base64
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.receipts.canonical import canonical


class NotVerified(ValueError):
    """Something in a file does not hold. code: for programs; place: JSON Pointer; line: of a log, from 1"""

    def __init__(self, code: str, message: str, place: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.code, self.place, self.line = code, place, line


class VerifierMissing(Exception):
    """The library that verifies signatures is not installed."""


@dataclass(frozen=True, slots=True)
class Signer:
    """A key that signs. key: its public part in base64. sign: returns the 64 bytes of a signature."""

    key: str
    sign: Callable[[bytes], bytes]


def sign(kind: str, content: Mapping[str, Any], signer: Signer) -> bytes:
    """Return a signed statement as a file. kind: receipt, export or head"""
    # One kind must never pass for another, so the format is signed too.
    stated = {**content, "format": f"wardboard-{kind}/1"}
    return _write(kind, stated, signer.key, signer.sign(canonical(stated)))


def read_signed(raw: bytes, keys: Collection[str] = ()) -> tuple[str, dict[str, Any], str]:
    """Return kind and content of a statement, and the key that signed it.

    keys: that the caller trusts; without any, the key that the statement names. Raises NotVerified, and
    VerifierMissing.
    """
    try:
        document = json.loads(raw)
        key, signature = document["signature"]["key"], base64.b64decode(document["signature"]["value"])
        (kind,) = document.keys() - {"signature"}
        content = document[kind]
        # No signature covers other members, a name that stands twice, and other spaces.
        is_whole = _write(kind, content, key, signature) == raw
        is_whole = is_whole and content["format"] == f"wardboard-{kind}/1"
        is_whole = is_whole and _verifies(base64.b64decode(key), canonical(content), signature)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_whole = False
    if not is_whole:
        text = "It is no signed file of a known version, or was changed. An export needs its --signature."
        raise NotVerified("file.not-signed", text)
    if keys and key not in keys:
        raise NotVerified("file.not-signed", f"It is signed by {key}, which is not among the known keys.")
    return kind, content, key


def read_keys(text: str) -> list[str]:
    """Read public keys: the JSON of the service's keys, or each in base64. Raises ValueError."""
    try:
        keys = [str(key["key"]) for key in json.loads(text)["public_keys"]]
    except (ValueError, KeyError, TypeError):
        keys = text.split()
    if not keys or any(len(base64.b64decode(key, validate=True)) != 32 for key in keys):
        raise ValueError("it holds no public keys: 32 bytes in base64 each")
    return keys


def _write(kind: str, content: Any, key: str, signature: bytes) -> bytes:
    value = base64.b64encode(signature).decode()
    return canonical({kind: content, "signature": {"key": key, "value": value}}) + b"\n"


def _verifies(key: bytes, message: bytes, signature: bytes) -> bool:
    # The light client may lack the library: reading a file needs no signature.
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
    except ImportError as error:
        raise VerifierMissing("cryptography is missing: install it, or the extra `verify`") from error
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True
