"""Encrypt what a copy of the database must not hold in the clear, with keys derived from SECRET_KEY."""

import base64
from functools import cache

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def encrypt(text: str, *, purpose: str) -> str:
    """Return a text encrypted (Fernet: AES-128-CBC with HMAC). purpose: each has a key of its own."""
    return _cipher(_keys(), purpose).encrypt(text.encode()).decode()


def decrypt(encrypted: str, *, purpose: str) -> str:
    """Return the text that `encrypt` was given.

    Raises cryptography.fernet.InvalidToken where neither SECRET_KEY nor one of SECRET_KEY_FALLBACKS fits.
    """
    return _cipher(_keys(), purpose).decrypt(encrypted.encode()).decode()


def _keys() -> tuple[str, ...]:
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


@cache
def _cipher(keys: tuple[str, ...], purpose: str) -> MultiFernet:
    info = f"wardboard {purpose}".encode()
    derived = [HKDF(SHA256(), length=32, salt=None, info=info).derive(key.encode()) for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in derived])
