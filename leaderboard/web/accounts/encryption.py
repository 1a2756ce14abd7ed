"""Encrypt what second factors are checked against, so that a copy of the database does not hold it."""

import base64
import logging
import secrets
from functools import partial

from cryptography.fernet import InvalidToken

from leaderboard import encryption

logger = logging.getLogger(__name__)

_PURPOSE = "second factors"
encrypt = partial(encryption.encrypt, purpose=_PURPOSE)


def decrypt(encrypted: str) -> str:
    """Return the text that `encrypt` was given.

    Where no key fits, it returns random base32: no code matches that, and the account stays protected.
    """
    try:
        return encryption.decrypt(encrypted, purpose=_PURPOSE)
    except InvalidToken:
        logger.warning("A second factor cannot be read: SECRET_KEY is not the one that it was set up with")
        return base64.b32encode(secrets.token_bytes(20)).decode()
