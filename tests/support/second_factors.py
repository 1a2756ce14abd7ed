"""Codes of an authenticator app, as the app computes them."""

import base64
import hmac
import time


def code_for(secret: str, steps: int = 0) -> str:
    """Return the code that an app shows so many half minutes from now. Source: RFC 4226, section 5.3."""
    counter = int(time.time()) // 30 + steps
    digest = hmac.digest(base64.b32decode(secret), counter.to_bytes(8, "big"), "sha1")
    start = digest[-1] & 15
    return f"{int.from_bytes(digest[start : start + 4], 'big') % 2**31 % 10**6:06d}"
