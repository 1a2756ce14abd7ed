"""Ed25519 signatures, and the names of their keys. Sources: RFC 8032, C2SP signed-note."""

import base64
import binascii
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

_ED25519 = b"\x01"
_KEY_BYTES = 32


class VerifierMissing(Exception):
    """The library that verifies signatures is not installed."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key. name: of who signs with it, without spaces and plus signs. raw: 32 bytes.

    until: when another key replaced it, where that is known; None for the present one.
    """

    name: str
    raw: bytes
    until: datetime | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.name or "+" in self.name or any(c.isspace() for c in self.name):
            raise ValueError(f"{self.name!r} cannot be the name of a key: it has a space or a plus sign")
        if len(self.raw) != _KEY_BYTES:
            raise ValueError(f"a public key has {_KEY_BYTES} bytes, and this one {len(self.raw)}")

    @property
    def key_hash(self) -> bytes:
        """The four bytes by which a signature names its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.raw).digest()[:4]

    @property
    def id(self) -> str:
        """The same as eight hexadecimal digits."""
        return self.key_hash.hex()

    @property
    def text(self) -> str:
        """The key on a line, as C2SP writes it: name+hash+base64."""
        return f"{self.name}+{self.id}+{encode(_ED25519 + self.raw)}"

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Return whether the signature of `message` is of this key. Raises VerifierMissing."""
        # The light client may lack the library: reading a file needs no signature.
        try:
            from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
        except ImportError as error:
            raise VerifierMissing(
                "Signatures are verified with the package cryptography, which is not installed: "
                "pip install cryptography"
            ) from error
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signer:
    """A key that signs: its public part, and the function that returns the 64 bytes of a signature."""

    key: PublicKey
    sign: Callable[[bytes], bytes]


def read_key(text: str) -> PublicKey:
    """Read a public key from its line. Raises ValueError."""
    # The name has no plus sign, and base64 may.
    parts = text.strip().split("+", 2)
    if len(parts) != 3:
        raise ValueError("a public key is a line of three parts: name+hash+base64")
    raw = decode(parts[2])
    if raw[:1] != _ED25519:
        raise ValueError("only Ed25519 keys (type 1) are known")
    key = PublicKey(parts[0], raw[1:])
    if key.id != parts[1]:
        raise ValueError(f"the hash of the key is {key.id}, and its line states {parts[1]}")
    return key


def encode(value: bytes) -> str:
    """Return base64 with padding, of the standard alphabet."""
    return base64.b64encode(value).decode()


def decode(text: str) -> bytes:
    """Read base64 as `encode` writes it, and no other text for the same bytes. Raises ValueError."""
    try:
        value = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"{text[:40]!r} is not base64: {error}") from error
    if encode(value) != text:
        raise ValueError(f"{text[:40]!r} is not base64 as it is written: bits at its end are set")
    return value
