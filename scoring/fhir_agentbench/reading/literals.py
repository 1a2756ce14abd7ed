"""Parse printed Python values like ast.literal_eval, but without Python's own parser.

A short hostile text can make Python's parser use gigabytes or crash the process.
"""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

DEPTH, VALUES = 100, 1_000_000
_CHECK_EVERY = 1000  # values

_TOKEN = re.compile(
    r"""[ \t\r\n\f]*+(?:
    (?P<punctuation>[\[\](){},:+-])
  | (?P<text>[uUrR]?(?:'{3}(?:[^\\]|\\.)*?'{3} | "{3}(?:[^\\]|\\.)*?"{3}
        | '(?!\'\')[^'\\\n\r]*+(?:\\.[^'\\\n\r]*+)*+' | "(?!"")[^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*+"))
  | (?P<number>(?:0[xXoObB][0-9a-fA-F_]++|(?:\d[\d_]*+\.?[\d_]*+|\.\d[\d_]*+)(?:[eE][+-]?\d[\d_]*+)?)
        (?![\w.]))
  | (?P<name>[A-Za-z_]\w*+)
  | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_NAMES = {"None": None, "True": True, "False": False}
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_DECIMAL_DIGITS = "0123456789_"
# The most digits of an integer that Python reads and prints; a hexadecimal one is limited by its bits.
_DIGITS, _BITS = 4300, 14_000
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {
    **{"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"},
    **{"\\": "\\", "'": "'", '"': '"', "\n": ""},
}
# A text with one of these means different things in JSON and in Python.
_NOT_SHARED = ('"', "\\", "true", "false", "null", "NaN", "Infinity")


class LiteralInvalid(ValueError):
    """The text is not a literal, or it is too large."""


def parse_literal(
    text: str, *, depth: int = DEPTH, values: int = VALUES, check_time: Callable[[], None] = lambda: None
) -> Any:
    """Return the value whose printed form is `text`: a collection, str, number, bool or None.

    Like ast.literal_eval, except that it rejects bytes, complex numbers, the ellipsis, comments, characters
    by name and tuples without brackets, which nothing prints. Only text is ever hashed, because numbers can
    be chosen so that all their hashes collide: other keys become their printed form, and a set with other
    items becomes a list. depth: the most levels; values: the most values, including keys. check_time: called
    now and then, and may raise.
    Raises LiteralInvalid, and otherwise only what check_time raises.
    """
    if (value := parse_plain(text, depth=depth, values=values)) is not None:
        return value
    parser = _Parser(text, values, check_time)
    value = parser.read_value(parser.next_token(), depth)
    if parser.next_token() != "":
        raise LiteralInvalid("text follows the value")
    return value


def parse_plain(text: str, *, depth: int = DEPTH, values: int = VALUES) -> Any:
    """Return the dict or list in `text`, if it is unambiguous; else None.

    It must mean the same in Python and, but for its quotes, in JSON.

    Lists of ids are of this kind, and the JSON parser is a hundred times faster.
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


@dataclass(slots=True)
class _Parser:
    text: str
    values_left: int
    check_time: Callable[[], None]
    position: int = 0
    token: str = ""
    kind: str = ""
    open_brackets: int = 0

    def next_token(self) -> str:
        """Return the next token, "" at the end, and set `kind` to its kind."""
        match = _TOKEN.match(self.text, self.position)
        if match is None or match.lastgroup is None:
            raise LiteralInvalid("this is not a Python value")
        self.position, self.kind = match.end(), match.lastgroup
        self.token = match[match.lastgroup]
        return self.token

    def read_value(self, token: str, depth: int) -> Any:
        """Return the value that begins with `token`, the token read last."""
        self.values_left -= 1
        if self.values_left % _CHECK_EVERY == 0:
            self.check_time()
        if self.values_left < 0 or depth < 0:
            raise LiteralInvalid("the value is nested too deeply or holds too many values")
        match self.kind:
            case "text":
                return self._read_text(token)
            case "number":
                return _number(token)
            case "name" if token in _NAMES:
                return _NAMES[token]
            case "punctuation" if token in "+-":
                return self._read_signed(token)
            case "punctuation" if token in _CLOSING:
                return self._read_collection(token, depth)
        raise LiteralInvalid("this is not a Python value")

    def _read_signed(self, sign: str) -> int | float:
        position = self.position
        number = self.next_token()
        self._stay_on_line(position)
        if self.kind != "number":
            raise LiteralInvalid("a sign without a number")
        return -_number(number) if sign == "-" else _number(number)

    def _read_text(self, token: str) -> str:
        """Return a string joined with those that directly follow it, as Python does."""
        parts = [_read_text(token)]
        while True:
            position = self.position
            self.next_token()
            if self.kind != "text":
                self.position = position
                return "".join(parts)
            self._stay_on_line(position)
            parts.append(_read_text(self.token))

    def _stay_on_line(self, previous_end: int) -> None:
        """Raise LiteralInvalid if a value outside brackets continues on another line."""
        gap = self.text[previous_end : self.position - len(self.token)]
        if not self.open_brackets and ("\n" in gap or "\r" in gap):
            raise LiteralInvalid("a value goes on after its line")

    def _read_collection(self, opening: str, depth: int) -> Any:
        closing = _CLOSING[opening]
        self.open_brackets += 1
        items: list[Any] = []
        by_key: dict[Any, Any] = {}
        comma = False
        pairs: bool | None = None
        token = self.next_token()
        while token != closing:
            item = self.read_value(token, depth - 1)
            token = self.next_token()
            if opening == "{" and pairs is None:
                pairs = token == ":"
            if pairs:
                if token != ":":
                    raise LiteralInvalid("a key without a value")
                by_key[_key(item)] = self.read_value(self.next_token(), depth - 1)
                token = self.next_token()
            else:
                items.append(item)
            comma = token == ","
            if comma:
                token = self.next_token()
            elif token != closing:
                raise LiteralInvalid("a comma is missing")
        self.open_brackets -= 1
        if opening == "[":
            return items
        if opening == "{":
            return by_key if pairs is not False else _set(items)
        return items[0] if len(items) == 1 and not comma else tuple(items)


def _read_text(token: str) -> str:
    quoted = token.lstrip("uUrR")
    ends = 3 if len(quoted) >= 6 and quoted[:3] in ("'''", '"""') else 1
    text = quoted[ends:-ends]
    if "\r" in text:
        # Every line end counts as one character, as in source code.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if token[0] in "rR" else _ESCAPE.sub(_unescaped, text)


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[0][1:]
    if (character := _ESCAPED.get(code)) is not None:
        return character
    if code[0] in "01234567":
        return chr(int(code, 8))
    if len(code) > 1 and (number := int(code[1:], 16)) <= sys.maxunicode:
        return chr(number)
    if code[0] in "xuUN":
        raise LiteralInvalid("a text has an invalid escape")
    return escape[0]


def _number(token: str) -> int | float:
    if len(token) > _DIGITS:
        raise LiteralInvalid("a number has too many digits")
    try:
        if token[:2].lower() not in ("0x", "0o", "0b") and set(token) - set(_DECIMAL_DIGITS):
            return float(token)
        number = int(token, 0)
    except ValueError:
        raise LiteralInvalid("this is not a number") from None
    if token[:2].lower() in ("0x", "0o", "0b") and number.bit_length() > _BITS:
        raise LiteralInvalid("a number has too many digits")
    return number


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, list | tuple | set | dict):
        raise LiteralInvalid("a list, an object or a tuple stands for a key")
    return str(key)


def _set(items: list[Any]) -> set[str] | list[Any]:
    """Return a set if all items are text, else a list without items that print alike."""
    if all(isinstance(item, str) for item in items):
        return set(items)
    if any(isinstance(item, list | tuple | set | dict) for item in items):
        raise LiteralInvalid("a list, an object or a tuple stands in a set")
    return list({repr(item): item for item in items}.values())
