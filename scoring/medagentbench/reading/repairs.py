"""Write values as the format has them, where that needs no thought: what a fix inserts.

Nothing here may look at a reference, because the sender of the file sees the fixes.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from wardboard.scoring.medagentbench.reading.answers import parse_json
from wardboard.scoring.reading.reports.fixes import Fix, change_value, json_text

_LONGEST = 100  # characters of a text that is repaired
_LONGEST_ANSWER = 60  # characters of an answer that a fix spells out
_BARE = re.compile(r"[\w-]{1,40}", re.ASCII)  # a text that resembles a value, not a sentence
_ANY_QUOTE = "\"'‘’“” "
_QUOTES = re.compile(r"['‘’“”]")
_TRAILING_COMMA = re.compile(r",\s*\]\s*\Z")
_FENCE = re.compile(r"\s*```(?:json|python)?\s*(.*?)\s*```\s*", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
# Whether a list has the form that the type of a task asks for.
Fits = Callable[[list[Any]], bool]
_ROLES = {"assistant": "agent", "ai": "agent", "model": "agent", "bot": "agent", "human": "user"}


def answer_as_text(answer: Any) -> Fix | None:
    """Return the fix of an answer that is a JSON value in place of a string; None where it takes thought."""
    if isinstance(answer, dict):
        return None
    return change_value(answer, json_text(answer if isinstance(answer, list) else [answer]))


def repair_answer(text: str, fits: Fits) -> Fix | None:
    """Return the fix of an answer that is not of its form; None where no common slip explains it."""
    repaired = _repaired(text, fits)
    return None if repaired is None else change_value(text, repaired)


def without_finish(text: str, within: str, fits: Fits) -> Fix | None:
    """Return the fix of an answer that has FINISH(...) around it. within: what that is around."""
    return change_value(text, _repaired(within, fits) or within)


def _repaired(text: str, fits: Fits) -> str | None:
    if len(text) > _LONGEST:
        return None
    for written in _candidates(text):
        if len(written) > _LONGEST_ANSWER:
            continue
        try:
            answer = parse_json(written)
        except ValueError:
            continue
        if isinstance(answer, list) and fits(answer):
            return written
    return None


def _candidates(text: str) -> Iterator[str]:
    """Yield what an answer may have been meant to be, the likeliest first."""
    if _BARE.fullmatch(text):
        yield f'["{text}"]'
    if fenced := _FENCE.fullmatch(text):
        yield fenced[1]
    # A printed Python list, or one in a word processor's quotes.
    yield _TRAILING_COMMA.sub("]", _QUOTES.sub('"', text))
    yield f"[{text}]"
    yield f"[{text.strip(_ANY_QUOTE)}]"
    try:
        value = parse_json(text)
    except ValueError:
        return
    if isinstance(value, str):
        # The text was written as JSON twice.
        yield value
    elif isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list):
            yield json.dumps(value[0])
        yield json.dumps([_as_number(item) for item in value])


def _as_number(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and _is_json_number(value) else value


def _is_json_number(text: str) -> bool:
    try:
        return _NUMBER.fullmatch(text) is not None and isinstance(json.loads(text), int | float)
    except ValueError:
        # A number with leading zeros is none in JSON.
        return False


def repair_role(role: Any) -> Fix | None:
    """Return the fix of a role that other harnesses write, or that is written with capitals."""
    known = role.strip().lower() if isinstance(role, str) else ""
    meant = known if known in ("agent", "user") else _ROLES.get(known)
    return change_value(role, meant) if meant else None


def repair_index(index: Any) -> Fix | None:
    """Return the fix of a position that is written as a text."""
    is_number = isinstance(index, str) and len(index) < 10 and index.isascii() and index.isdecimal()
    return change_value(index, int(index)) if is_number else None


def repair_version(version: Any, wanted: str) -> Fix | None:
    """Return the fix of a version that means that of the board: 2, "2" or "V2" for "v2"."""
    meant = f"{version:g}" if type(version) in (int, float) else version
    if not isinstance(meant, str) or len(meant) > len(wanted) + 2:
        return None
    return change_value(version, wanted) if meant.strip().lower().lstrip("v") == wanted.lstrip("v") else None


def repair_history(history: Any) -> Fix | None:
    """Return the fix of a history that is the text of a list, or an empty object."""
    if history == {}:
        return change_value(history, [])
    try:
        value = parse_json(history) if isinstance(history, str) and len(history) <= _LONGEST else None
    except ValueError:
        return None
    return change_value(history, value) if isinstance(value, list) else None
