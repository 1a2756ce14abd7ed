"""The key that signs receipts and the heads of the log, and the public keys of all that ever did."""

import base64
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.core.checks import Error

from leaderboard.models import SigningKey
from leaderboard.services.errors import ServiceError
from wardboard.scoring.receipts.signatures import Signer

logger = logging.getLogger(__name__)


class SigningKeyInvalid(ServiceError, code="signing-key-invalid"):
    """The key that the operator named cannot be used."""


def check_signing_key(app_configs: Any, **_: Any) -> list[Error]:
    """Refuse a signing key that cannot be used, before a request needs it. `signer` makes a missing one."""
    path: Path = settings.SIGNING_KEY_FILE
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    try:
        if settings.UPLOADS_S3 or path.exists():
            _private_key(path)
        elif not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
            raise SigningKeyInvalid(f"SIGNING_KEY_FILE: {path} does not exist, and cannot be made.")
    except SigningKeyInvalid as error:
        hint = "Receipts and the log are signed with it: see docs/verify.md."
        return [Error(error.detail, hint=hint, id="wardboard.E004")]
    return []


def signer() -> Signer:
    """Return what signs. Raises SigningKeyInvalid."""
    private = _private_key(settings.SIGNING_KEY_FILE)
    key = base64.b64encode(private.public_key().public_bytes_raw()).decode()
    if SigningKey.objects.get_or_create(public_key=key)[1]:
        logger.warning("receipts and the log are signed with a new key from now on: %s", key)
    return Signer(key, private.sign)


def published_keys() -> Sequence[tuple[SigningKey, datetime | None]]:
    """Return each key that has signed, the first one first, with the time when the next one replaced it."""
    keys = list(SigningKey.objects.all())
    return [*((key, later.since) for key, later in pairwise(keys)), *((key, None) for key in keys[-1:])]


def _private_key(path: Path) -> Ed25519PrivateKey:
    try:
        if not path.exists():
            _make(path)
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise SigningKeyInvalid(f"SIGNING_KEY_FILE: {path}: {error.strerror}.") from error
    except (ValueError, TypeError) as error:
        raise SigningKeyInvalid(f"{path} holds no private key in PEM without a password.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningKeyInvalid(f"{path} holds a key of another kind than Ed25519.")
    return key


def _make(path: Path) -> None:
    """Make a key in a file that only its user can read: whole or not at all, the first of several wins."""
    if settings.UPLOADS_S3:
        raise SigningKeyInvalid(
            "With UPLOADS_S3_BUCKET there may be several machines, which need one signing key: set "
            "SIGNING_KEY_FILE to a copy of one file. Make one with: openssl genpkey -algorithm ed25519."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", suffix=".new") as new:
        new.write(pem)
        new.flush()
        os.fsync(new.fileno())
        with suppress(FileExistsError):
            os.link(new.name, path)
