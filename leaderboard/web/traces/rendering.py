"""What a page shows of a text of a file: as it is, or with its JSON indented; folded where it is long.

Nothing in a file is trusted: it is shown as text, and no address in it is a link.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django import template

from leaderboard.services.text import visible
from wardboard.scoring.explanations import indented
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.nesting import is_too_complex
from wardboard.scoring.traces.conversation import parsed_json

register = template.Library()
register.filter(visible)

_JSON = re.compile(r"^(?=\{|\[\s*\{)", re.MULTILINE)
_LIMITS = Limits(depth=100)
_FOLDED_FROM, _FOLDED_LINES = 1200, 40  # characters, or lines, from which a text is folded
_HEAD = 160  # characters of a folded text that stay in sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A text of a page. head: its beginning where it is folded, else ""."""

    text: str
    head: str


@register.filter
def block(value: Any) -> Block:
    """Return a text or JSON value as a page shows it."""
    text = visible(value if isinstance(value, str) else indented(_expanded(value)))
    is_long = len(text) > _FOLDED_FROM or text.count("\n") > _FOLDED_LINES
    return Block(text=text, head=" ".join(text[: 2 * _HEAD].split())[:_HEAD] if is_long else "")


@register.filter
def body(value: Any) -> Block:
    """Return a text or JSON value of a trace as a page shows it: the JSON that a line begins is indented."""
    found = _JSON.search(value) if isinstance(value, str) else None
    if found and not is_too_complex(value, _LIMITS):
        with suppress(ValueError, RecursionError):
            parsed, end = json.JSONDecoder().raw_decode(value, found.start())
            value = value[: found.start()] + indented(_expanded(parsed)) + value[end:]
    return block(value)


def _expanded(value: Any) -> Any:
    """Return JSON in which texts that hold an object or a list themselves are JSON too, as people read it."""
    if isinstance(value, Mapping):
        return {name: _expanded(item) for name, item in value.items()}
    return [_expanded(item) for item in value] if isinstance(value, list) else parsed_json(value)
