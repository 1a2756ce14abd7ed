"""Sign calls of webhooks. Source: Standard Webhooks 1.0.0, "Webhook headers" and "Signature scheme"."""

import base64
import hashlib
import hmac
import secrets

_PREFIX = "whsec_"
_SECRET_BYTES = 32


def new_secret() -> str:
    """Return a new secret, as its owner stores it: whsec_ and 32 random bytes in base64."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def headers_of(*, secret: str, message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers that identify and sign a call.

    secret: from `new_secret`. message_id: the same in each attempt, without a dot
    seconds: when this attempt is made, since 1970-01-01 UTC
    """
    key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    signed = f"{message_id}.{seconds}.".encode() + body
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{signature}",
    }
