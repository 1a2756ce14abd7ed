"""Canonical JSON and the digests over it. Sources: RFC 8785, FIPS 180-4, RFC 2104."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

import rfc8785

# Returns a value as canonical JSON. Raises ValueError for a value that has none, such as NaN.
canonical = rfc8785.dumps


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of `value`, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def commit_to_references(content: bytes, key: bytes) -> str:
    """Return the keyed commitment to a set of references: HMAC-SHA-256, as 64 hexadecimal digits.

    Nobody without the key can compare it with guesses, unlike a plain digest.

    content: as the benchmark dumps them. key: 32 random bytes, of this revision alone
    """
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def figures_of(*, right: int, total: int, runs: int, metrics: Mapping[str, float | None]) -> dict[str, Any]:
    """Return the figures of a result whose digest a receipt states.

    metrics: key -> value as it leaves the service, of those that are public at every feedback level
    """
    return {"right": right, "total": total, "runs": runs, "metrics": dict(metrics)}
