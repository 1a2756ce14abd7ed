"""JSON as the service sends it: compact, in UTF-8, and safe inside a script."""

import json

import msgspec
from django.utils.functional import Promise


def encode(value: object) -> bytes:
    """Encode `value`, which may hold msgspec structs, dates, UUIDs and enumerations.

    Floats are written as Python writes them. Raises ValueError for NaN and infinities.
    """
    plain = msgspec.to_builtins(value, enc_hook=_plain_text)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Line ends for JavaScript, though not for JSON.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


def _plain_text(value: object) -> str:
    # Texts that remember how they were put together are a kind of string; others are translated only now.
    if isinstance(value, str | Promise):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON")
