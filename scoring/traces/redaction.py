"""Take what looks like a key, a token or a password out of a trace before anybody reads it.

The patterns find most keys, not all, and no names: a team reads its traces before it makes them public.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log2
from typing import Any

REDACTED = "[redacted]"
# A text that the expression can match has one of these parts, for which a search is a hundred times as fast.
_KEYS: Sequence[tuple[Sequence[str], re.Pattern[str]]] = (
    (("sk-",), re.compile(r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{16,}")),
    (
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})"),
    ),
    (("glpat-",), re.compile(r"\bglpat-[\w-]{16,}")),
    (("hf_",), re.compile(r"\bhf_[A-Za-z0-9]{20,}")),
    (("AKIA", "ASIA"), re.compile(r"\bA[KS]IA[0-9A-Z]{16}\b")),
    (("AIza",), re.compile(r"\bAIza[\w-]{30,}")),
    (("xox",), re.compile(r"\bxox[abprs]-[\w-]{10,}")),
    (("ya29.",), re.compile(r"\bya29\.[\w-]{20,}")),
    (("wb_",), re.compile(r"\bwb_\w{16,}")),
    (("eyJ",), re.compile(r"\beyJ[\w-]{10,1000}\.[\w-]{10,}(?:\.[\w-]+)?")),
    (
        ("PRIVATE KEY",),
        re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]{0,20}KEY-----|\Z)"),
    ),
    (
        ("earer", "asic", "BEARER", "BASIC"),
        re.compile(r"\b(?i:bearer|basic)\s{1,3}(?=[A-Za-z._~+/-]{0,40}\d)[A-Za-z0-9._~+/-]{16,}={0,2}"),
    ),
    (
        ("key", "KEY", "Key", "assw", "ASSW", "ecret", "ECRET", "oken", "OKEN"),
        re.compile(
            r"\b(?i:api[_-]?key|passw(?:or)?d|secret|auth[_-]?token|access[_-]?token)\b"
            r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?[^\s\"',;&{}<>]{6,}"
        ),
    ),
    (("://",), re.compile(r"(?<=://)[^/\s:@]{1,60}:[^/\s@]{1,60}(?=@)")),
)
_KEY_FIELDS = frozenset({"api_key", "apikey", "password", "passwd", "secret", "auth_token", "access_token"})
_TOKEN = re.compile(r"[A-Za-z0-9+_-]{24,}")
_LONGEST_KEY = 128  # characters; what is longer is encoded data
_LEAST_ENTROPY = 4.0  # bits a character; words and paths have less, keys of mixed letters more
_CLASSES = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


def redacted(value: Any) -> Any:
    """Return a text, or JSON, in which each text that looks like a key is `REDACTED`."""
    if isinstance(value, str):
        for parts, expression in _KEYS:
            if any(part in value for part in parts):
                value = expression.sub(REDACTED, value)
        return _TOKEN.sub(lambda found: REDACTED if _looks_random(found[0]) else found[0], value)
    if isinstance(value, Mapping):
        return {name: _of_field(name, item) for name, item in value.items()}
    return [redacted(item) for item in value] if isinstance(value, list) else value


def _of_field(name: str, item: Any) -> Any:
    # A key that a field names may look like any word.
    names_a_key = name.lower().replace("-", "_") in _KEY_FIELDS
    return REDACTED if names_a_key and isinstance(item, str) and item else redacted(item)


def _looks_random(token: str) -> bool:
    """Return whether a token is as mixed as a key. Ids of resources, with dashes or of one case, are not."""
    if len(token) > _LONGEST_KEY or not all(characters.search(token) for characters in _CLASSES):
        return False
    return -sum(n / len(token) * log2(n / len(token)) for n in Counter(token).values()) >= _LEAST_ENTROPY
