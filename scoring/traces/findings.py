"""Texts in traces that look like a name or a key, which a team reads before its traces become public.

The patterns find more than there is: each finding is shown and can be confirmed. They do not find everything,
and no names of patients: those of the task file are public with it.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log2
from typing import Any

from wardboard.scoring.traces.conversation import TracedMessage

_MOST_FINDINGS, _MOST_TASKS = 500, 5
_LONGEST = 120  # characters of a text that is shown


class FindingKind(StrEnum):
    """What a text looks like."""

    KEY = "key"
    EMAIL = "email"
    PATH = "path"
    HOST = "host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A text that looks like a name or a key. count: how often it occurs; task_ids: the first five tasks."""

    kind: FindingKind
    text: str
    count: int
    task_ids: Sequence[str]


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
    (("eyJ",), re.compile(r"\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]+)?")),
    (("PRIVATE KEY",), re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----")),
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
    (("://",), re.compile(r"://[^/\s:@]{1,60}:[^/\s@]{1,60}@")),
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_PATH = re.compile(r"(?:/home/|/Users/|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2})[^\s/\\\"'<>:|?*]{1,40}")
_ADDRESS = re.compile(r"https?://(?:[^/\s@\"']{1,200}@)?(\[[0-9a-fA-F:]+\]|[\w.-]{1,200})")
_LOCAL = re.compile(r"\.(?:local|internal|lan|corp|intranet)\b")
_BEFORE_LOCAL = re.compile(r"[\w.-]{1,100}\Z")
# It begins with a dot, for which the search is fast; the number before it is looked at afterwards.
_REST_OF_IP = re.compile(r"\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\.?\d)")
_BEFORE_IP = re.compile(r"(?<![\d.])\d{1,3}\Z")
# Names that say nothing of who ran the agent: this machine, examples, terminologies, the sources of the data.
_PUBLIC_HOSTS = re.compile(
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:.+\.)?(?:example\.(?:org|com|net)|hl7\.org|fhir\.org|loinc\.org"
    r"|snomed\.info|unitsofmeasure\.org|nih\.gov|w3\.org|nucc\.org|cms\.gov|cdc\.gov|who\.int|ihe\.net"
    r"|mit\.edu|physionet\.org|json-schema\.org|ietf\.org|iana\.org))"
)
_TOKEN = re.compile(r"[A-Za-z0-9+_-]{24,}")
_LONGEST_KEY = 128  # characters; what is longer is encoded data
_LEAST_ENTROPY = 4.0  # bits a character; words and paths have less, keys of mixed letters more
_CLASSES = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


class FindingCollector:
    """Collect what looks like a name or a key in one trace after another."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[FindingKind, str]] = Counter()
        self._tasks: dict[tuple[FindingKind, str], dict[str, None]] = {}

    def add(self, task_id: str, messages: Iterable[TracedMessage]) -> None:
        """Collect the findings in the trace of a task."""
        for text in _texts_of(messages):
            for kind, found in _found(text):
                key = (kind, found[:_LONGEST])
                self._counts[key] += 1
                tasks = self._tasks.setdefault(key, {})
                if len(tasks) < _MOST_TASKS:
                    tasks[task_id] = None

    @property
    def total(self) -> int:
        """How many different texts were found."""
        return len(self._counts)

    @property
    def findings(self) -> list[Finding]:
        """The first 500, keys first, in the order of their first occurrence within a kind."""
        order = [*FindingKind]
        keys = sorted(self._counts, key=lambda key: order.index(key[0]))
        return [
            Finding(kind=kind, text=text, count=self._counts[kind, text], task_ids=[*self._tasks[kind, text]])
            for kind, text in keys[:_MOST_FINDINGS]
        ]

    @property
    def digest(self) -> str:
        """What stands for all findings in a confirmation: 16 hexadecimal digits; "" without a finding."""
        if not self._counts:
            return ""
        lines = "".join(sorted(f"{kind} {text}\n" for kind, text in self._counts))
        return hashlib.sha256(lines.encode(errors="replace")).hexdigest()[:16]


def _found(text: str) -> Iterator[tuple[FindingKind, str]]:
    keys = [
        match[0]
        for parts, expression in _KEYS
        if any(part in text for part in parts)
        for match in expression.finditer(text)
    ]
    yield from ((FindingKind.KEY, key) for key in keys)
    for token in _TOKEN.findall(text):
        if _looks_random(token) and not any(token in key for key in keys):
            yield FindingKind.KEY, token
    if "@" in text:
        yield from ((FindingKind.EMAIL, match[0]) for match in _EMAIL.finditer(text))
    if "/home/" in text or "Users" in text:
        yield from ((FindingKind.PATH, match[0]) for match in _PATH.finditer(text))
    for host in _hosts(text):
        if not _PUBLIC_HOSTS.fullmatch(host):
            yield FindingKind.HOST, host


def _hosts(text: str) -> Iterator[str]:
    seen = set[str]()
    if "://" in text:
        # An address in a Bundle is there a hundred times.
        seen.update(host.rstrip(".").lower() for host in {*_ADDRESS.findall(text)})
    for match in _LOCAL.finditer(text):
        if before := _BEFORE_LOCAL.search(text, max(0, match.start() - 100), match.start()):
            seen.add((before[0] + match[0]).lower())
    for match in _REST_OF_IP.finditer(text):
        if before := _BEFORE_IP.search(text, max(0, match.start() - 5), match.start()):
            seen.add(before[0] + match[0])
    yield from sorted(seen)


def _looks_random(token: str) -> bool:
    """Return whether a token is as mixed as a key. Ids of resources, with dashes or of one case, are not."""
    if len(token) > _LONGEST_KEY or not all(characters.search(token) for characters in _CLASSES):
        return False
    counts = Counter(token).values()
    return -sum(n / len(token) * log2(n / len(token)) for n in counts) >= _LEAST_ENTROPY


def _texts_of(messages: Iterable[TracedMessage]) -> Iterator[str]:
    for message in messages:
        yield message.text
        for call in message.calls:
            # Together: a search in many short texts takes ten times as long.
            yield "\n".join((call.name, *_strings(call.arguments), *_strings(call.result)))


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts within JSON, names of fields too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            if isinstance(item, str) and item and _names_a_key(name):
                # A key that a field names may look like any word.
                yield f"{name}: {item}"
            else:
                yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _names_a_key(name: str) -> bool:
    return name.lower().replace("-", "_") in _KEY_FIELDS


_KEY_FIELDS = frozenset({"api_key", "apikey", "password", "passwd", "secret", "auth_token", "access_token"})
