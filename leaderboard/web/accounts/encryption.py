"""Encrypt what second factors are checked against, so that a copy of the database does not hold it."""

import base64
import logging
import secrets
from functools import cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

logger = logging.getLogger(__name__)


def encrypt(text: str) -> str:
    """Return a text encrypted with a key that is derived from SECRET_KEY (Fernet: AES-128-CBC with HMAC)."""
    return _cipher(_keys()).encrypt(text.encode()).decode()


def decrypt(encrypted: str) -> str:
    """Return the text that `encrypt` was given.

    Where neither SECRET_KEY nor one of SECRET_KEY_FALLBACKS fits, it returns random base32: no code matches
    that, and the account stays protected.
    """
    try:
        return _cipher(_keys()).decrypt(encrypted.encode()).decode()
    except InvalidToken:
        logger.warning("A second factor cannot be read: SECRET_KEY is not the one that it was set up with")
        return base64.b32encode(secrets.token_bytes(20)).decode()


def _keys() -> tuple[str, ...]:
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


@cache
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(_derived(key)) for key in keys])


def _derived(key: str) -> bytes:
    derivation = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"wardboard second factors")
    return base64.urlsafe_b64encode(derivation.derive(key.encode()))
