"""Parse printed Python values like ast.literal_eval, but without Python's own parser.

A short hostile text can make Python's parser use gigabytes or crash the process. Here a text is rewritten as
JSON, token by token, for the JSON parser.
"""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

DEPTH, VALUES = 100, 1_000_000
_CHECK_EVERY = 1000  # tokens

_TOKEN = re.compile(
    r"""[ \t\r\n\f]*+(?:
    (?P<sign>[\[\](){},:])
  | (?P<text>'[^'\\\n\r]*+(?:\\.[^'\\\n\r]*+)*+' | "[^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*+")
  | (?P<number>-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?(?![\w.]))
  | (?P<name>(?:None|True|False)\b)
  | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_NAMES = {"None": "null", "True": "true", "False": "false"}
_OPENING, _CLOSING = frozenset("[({"), frozenset("])}")
# How a tuple, which JSON lacks, is written: as an object with this key.
_TUPLE = "\0tuple"
# A text with one of these means different things in JSON and in Python.
_NOT_SHARED = ('"', "\\", "true", "false", "null", "NaN", "Infinity")
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


class LiteralInvalid(ValueError):
    """The text is not a literal, or it is too large."""


def parse_literal(
    text: str, *, depth: int = DEPTH, values: int = VALUES, check_time: Callable[[], None] = lambda: None
) -> Any:
    """Return the value whose printed form is `text`: a collection, str, number, bool or None.

    Like ast.literal_eval, but for what is printed alone: no expressions, comments, bytes, complex or octal
    numbers, long quotes, or keys that are no text. A set becomes a list.
    depth: the most levels; values: the most values, including keys. check_time: called now and then, and may
    raise. Raises LiteralInvalid, and otherwise only what check_time raises.
    """
    if (value := parse_plain(text, depth=depth, values=values)) is not None:
        return value
    pieces = _as_json(_tokens(text, depth, values, check_time))
    try:
        return json.loads(" ".join(pieces), object_hook=_with_tuples)
    except (ValueError, TypeError, RecursionError):
        raise LiteralInvalid("this is not a Python value") from None


def parse_plain(text: str, *, depth: int = DEPTH, values: int = VALUES) -> Any:
    """Return the dict or list in `text` if it means the same in JSON, but for its quotes; else None.

    Lists of ids are of this kind, and the JSON parser alone is a hundred times faster.
    """
    opening = text.count("{") + text.count("[")
    if opening > depth or opening + text.count(",") + text.count(":") >= values:
        return None
    if any(token in text for token in _NOT_SHARED):
        return None
    try:
        value = json.loads(text.replace("'", '"'))
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None


def _tokens(text: str, depth: int, values: int, check_time: Callable[[], None]) -> list[str]:
    """Return the tokens, those of values as JSON writes them, and "" at the end."""
    found: list[str] = []
    position, level = 0, 0
    while not found or found[-1]:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise LiteralInvalid("this is not a Python value")
        token, position = match[match.lastgroup], match.end()
        level += (token in _OPENING) - (token in _CLOSING)
        # Nearly each value has a sign after it.
        if level > depth or len(found) > 2 * values:
            raise LiteralInvalid("the value is nested too deeply or holds too many values")
        found.append(_text(token) if match.lastgroup == "text" else _NAMES.get(token, token))
        if len(found) % _CHECK_EVERY == 0:
            check_time()
    return found


def _as_json(tokens: list[str]) -> list[str]:
    """Return the pieces of the same value in JSON: tuples as objects, sets as lists, no comma at an end."""
    pieces: list[str] = []
    braces: list[str] = []  # what closes each brace that is open
    before = ""
    for place, token in enumerate(tokens):
        if token == "{":
            is_set = tokens[place + 1] != "}" and tokens[place + 2 : place + 3] != [":"]
            braces.append("]" if is_set else "}")
            pieces.append("[" if is_set else "{")
        elif token == "}":
            pieces.append(braces.pop() if braces else "}")
        elif token in ("(", ")"):
            pieces.append(f"{{{json.dumps(_TUPLE)}:[" if token == "(" else "]}")
        elif token != "," or tokens[place + 1] not in _CLOSING or before in (*_OPENING, ","):
            pieces.append(token)
        before = token
    return pieces


def _with_tuples(value: dict[str, Any]) -> Any:
    return tuple(value[_TUPLE]) if _TUPLE in value else value


def _text(token: str) -> str:
    text = token[1:-1]
    return json.dumps(_ESCAPE.sub(_unescaped, text) if "\\" in text else text)


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[0][1:]
    if code in _ESCAPED:
        return _ESCAPED[code]
    if len(code) == 1 or (number := int(code[1:], 16)) > sys.maxunicode:
        raise LiteralInvalid("a text has an escape that nothing prints")
    return chr(number)
