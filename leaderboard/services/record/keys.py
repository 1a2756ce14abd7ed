"""The key that signs receipts and checkpoints, and the public keys of all that ever did."""

import base64
import logging
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.core.checks import Error

from leaderboard.models import SigningKey
from leaderboard.services.errors import ServiceError
from wardboard.scoring.receipts.signatures import PublicKey, Signer

logger = logging.getLogger(__name__)

_SEED_BYTES = 32
_NONE_ON_SEVERAL = (
    "With UPLOADS_S3_BUCKET there may be several machines, which need one signing key: set SIGNING_KEY, or "
    "SIGNING_KEY_FILE to a copy of one file. Make one with: openssl genpkey -algorithm ed25519."
)


class SigningKeyInvalid(ServiceError):
    """The key that the operator named cannot be used."""

    code = "signing-key-invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedKey:
    """A public key and the time in which this service signed with it. until: None for the present key."""

    key: PublicKey
    since: datetime
    until: datetime | None

    @property
    def pem(self) -> str:
        """The key as openssl reads it."""
        public = Ed25519PublicKey.from_public_bytes(self.key.raw)
        return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def check_signing_key(app_configs: Any, **_: Any) -> list[Error]:
    """Refuse a signing key that cannot be used, before a request needs it. `signer` makes a missing one.

    With a bucket it makes none: each of several machines without a common folder would make its own.
    """
    path: Path = settings.SIGNING_KEY_FILE
    try:
        if settings.SIGNING_KEY or path.exists():
            _private_key(settings.SIGNING_KEY, path)
        elif settings.UPLOADS_S3:
            return [_unusable(_NONE_ON_SEVERAL)]
        elif path.parent != settings.DATA and not _can_be_made(path):
            return [_unusable(f"SIGNING_KEY_FILE: {path} does not exist, and cannot be made.")]
        PublicKey(settings.SIGNING_NAME, bytes(_SEED_BYTES))
    except SigningKeyInvalid as error:
        reason = error.detail
    except OSError as error:
        reason = f"{path} cannot be read: {error.strerror}."
    except ValueError as error:
        reason = f"SIGNING_NAME: {error}."
    else:
        return []
    return [_unusable(reason)]


def _can_be_made(path: Path) -> bool:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _unusable(reason: str) -> Error:
    hint = "Receipts and checkpoints are signed with it: see docs/verify.md."
    return Error(reason, hint=hint, id="wardboard.E004")


def signer() -> Signer:
    """Return what signs. A service without a key makes one, in a file that only its user can read.

    Raises SigningKeyInvalid, and OSError where the file can be neither read nor written.
    """
    private = _private_key(settings.SIGNING_KEY, settings.SIGNING_KEY_FILE)
    raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    row = SigningKey.objects.filter(public_key=raw.hex()).first()
    if row is None:
        defaults = {"name": settings.SIGNING_NAME}
        row, _is_new = SigningKey.objects.get_or_create(public_key=raw.hex(), defaults=defaults)
        logger.warning("receipts and checkpoints are signed with a new key from now on: %s", raw.hex())
    elif SigningKey.objects.filter(since__gt=row.since).exists():
        _warn_of_replaced(raw.hex())
    return Signer(PublicKey(row.name, raw), private.sign)


@lru_cache(maxsize=1)  # once in a process
def _warn_of_replaced(key: str) -> None:
    logger.error(
        "this process signs with a key that another one has replaced: %s. All machines need the same "
        "SIGNING_KEY or SIGNING_KEY_FILE; `wardboard verify` refuses what is signed with it from now on.",
        key,
    )


def published_keys() -> Sequence[PublishedKey]:
    """Return the public keys, the first one first. The present one is among them once it has signed."""
    rows = list(SigningKey.objects.all())
    ends = [later.since for _, later in pairwise(rows)]
    return [
        PublishedKey(key=PublicKey(row.name, bytes.fromhex(row.public_key)), since=row.since, until=until)
        for row, until in zip(rows, [*ends, None][: len(rows)], strict=True)
    ]


def _private_key(encoded: str, path: Path) -> Ed25519PrivateKey:
    return _decoded(encoded) if encoded else _loaded(_read_or_make(path), str(path))


@lru_cache(maxsize=2)
def _decoded(encoded: str) -> Ed25519PrivateKey:
    try:
        seed = base64.b64decode(encoded, validate=True)
    except ValueError as error:
        raise SigningKeyInvalid("SIGNING_KEY is not base64.") from error
    if len(seed) != _SEED_BYTES:
        raise SigningKeyInvalid(f"SIGNING_KEY has {len(seed)} bytes, and an Ed25519 key has {_SEED_BYTES}.")
    return Ed25519PrivateKey.from_private_bytes(seed)


@lru_cache(maxsize=2)
def _loaded(pem: bytes, name: str) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as error:
        raise SigningKeyInvalid(f"{name} holds no private key in PEM without a password.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningKeyInvalid(f"{name} holds a key of another kind than Ed25519.")
    return key


def _read_or_make(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        if settings.UPLOADS_S3:
            raise SigningKeyInvalid(_NONE_ON_SEVERAL) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    new = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(descriptor)
    try:
        # The file appears whole or not at all, and the first of several processes or threads wins.
        os.link(new, path)
    except FileExistsError:
        pass
    finally:
        new.unlink()
    return path.read_bytes()
