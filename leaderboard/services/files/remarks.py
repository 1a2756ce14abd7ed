"""Remarks on a file as a submission keeps them.

Each is kept as the API shows it, in English, and beside that with what its texts were put together from, so
that a page can say them in another language. Those kept before that was so are shown in English.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.reading.messages import Phrase, phrase_from_parts
from scoring.reading.problems import Problem

_TEXTS = ("message", "hint")
_PARTS = "said"  # in the database only


def as_stored(remarks: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return `remarks` as JSON for the database."""
    return [_kept(remark) for remark in remarks]


def without_parts(kept: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what the API shows of remarks that were kept."""
    return [{key: value for key, value in remark.items() if key != _PARTS} for remark in kept]


def restore_texts(kept: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return remarks that were kept with the texts that they had: phrases, where that is known."""
    return [shown | _texts(remark) for shown, remark in zip(without_parts(kept), kept, strict=True)]


def _kept(remark: Problem) -> dict[str, Any]:
    # A text without values is its own template.
    said = {"message": remark.message, "hint": remark.hint}
    parts = {name: text.parts() for name, text in said.items() if isinstance(text, Phrase) and text.values}
    return remark.as_dict() | ({_PARTS: parts} if parts else {})


def _texts(remark: Mapping[str, Any]) -> dict[str, Phrase]:
    found = {}
    for name in _TEXTS:
        try:
            said = phrase_from_parts(remark[_PARTS][name])
        except (LookupError, TypeError, ValueError, AttributeError):
            continue
        # What was shown stands, whatever is beside it.
        if said == remark.get(name):
            found[name] = said
    return found
