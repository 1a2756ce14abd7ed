"""What a file has on one task, and what its reference asks for: the parts of an explanation of a verdict."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.messages import Phrase
from wardboard.scoring.reading.nesting import is_too_complex

_INDENTED = Limits(depth=24)
_TOO_DEEP = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPost:
    """A POST to a FHIR server.

    - target: the address, or of an expected one the resource type
    - payload: as text, indented where it is JSON
    """

    target: str
    payload: str
    is_accepted: bool = True

    @property
    def kind(self) -> str:
        """The resource type."""
        return self.target.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnWork:
    """What a record of a file holds; nothing of it depends on a reference. answer: None for none."""

    answer: str | None
    posts: tuple[ShownPost, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedWork:
    """What a reference asks for.

    - answers: any of them is right; () where the answer is not read
    - notes: in sentences, such as how many resources a record lacks
    """

    answers: tuple[str, ...] = ()
    posts: tuple[ShownPost, ...] = ()
    notes: tuple[Phrase, ...] = ()


class WrongField(NamedTuple):
    """A field whose value is wrong. due, sent: the values as JSON, "" where there is none."""

    path: str
    due: str
    sent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPost:
    """A POST that was sent or was due. kind: its resource type. verdict: in a word or two"""

    kind: str
    verdict: Phrase
    wrong: tuple[WrongField, ...] = ()


def as_text(value: Any) -> str | None:
    """Return an answer of any JSON type as people read it; None for no answer."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def compact(value: Any) -> str:
    """Return JSON on one line; "…" where it is nested deeper than Python can write."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return _TOO_DEEP


def indented(value: Any) -> str:
    """Return JSON on indented lines; on one where it is nested deep, as they take the square of its depth."""
    text = compact(value)
    if text == _TOO_DEEP or is_too_complex(text, _INDENTED):
        return text
    return json.dumps(value, ensure_ascii=False, indent=2)
