"""Reading a printed Python value: what ast.literal_eval gives, without Python's parser.

Python's own parser can be made to take gigabytes, or the process with it, by a short hostile text.
"""

import ast
import json
import re
from dataclasses import dataclass
from typing import Any

DEPTH, VALUES = 100, 1_000_000

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
    re.VERBOSE | re.DOTALL,
)
_NAMES = {"None": None, "True": True, "False": False}
_CLOSES = {"[": "]", "(": ")", "{": "}"}
_FIGURES = "0123456789_"
# Where a text has one of these, it is not the same in both languages.
_DIFFERENT = ('"', "\\", "true", "false", "null", "NaN", "Infinity")


class LiteralInvalid(ValueError):
    """The text is no literal, or is too large a one."""


def parse_literal(text: str, *, depth: int = DEPTH, values: int = VALUES) -> Any:
    """Return the value that `text` is the printed form of: dict, list, tuple, set, str, number, bool, None.

    The same as ast.literal_eval, but for bytes, complex numbers, the ellipsis, comments and tuples without
    brackets, which nothing prints. depth: levels at most; values: values at most, keys counted.
    Raises LiteralInvalid, and nothing else.
    """
    if (plain := _as_json(text, depth, values)) is not None:
        return plain
    parser = _Parser(text, values)
    value = parser.value(parser.next(), depth)
    if parser.next() != "":
        raise LiteralInvalid("text follows the value")
    return value


def _as_json(text: str, depth: int, values: int) -> Any:
    """Return the object or list that `text` is in Python and, but for its quotes, in JSON too; else None.

    Lists of ids are of this kind, and JSON's parser is a hundred times as fast.
    """
    opened = text.count("{") + text.count("[")
    if opened > depth or opened + text.count(",") + text.count(":") >= values:
        return None
    if any(token in text for token in _DIFFERENT):
        return None
    try:
        value = json.loads(text.replace("'", '"'))
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None


@dataclass(slots=True)
class _Parser:
    text: str
    left: int
    position: int = 0
    token: str = ""
    kind: str = ""

    def next(self) -> str:
        """Return the next token, "" at the end; its kind is in `kind`."""
        found = _TOKEN.match(self.text, self.position)
        if found is None or found.lastgroup is None:
            raise LiteralInvalid("this is no Python value")
        self.position, self.kind = found.end(), found.lastgroup
        self.token = found[found.lastgroup]
        return self.token

    def value(self, token: str, depth: int) -> Any:
        """Return the value that begins with `token`, which was read."""
        self.left -= 1
        if self.left < 0 or depth < 0:
            raise LiteralInvalid("the value is nested too deeply or holds too many values")
        match self.kind:
            case "text":
                return self._text(token)
            case "number":
                return _number(token)
            case "name" if token in _NAMES:
                return _NAMES[token]
            case "punctuation" if token in "+-":
                return self._signed(token)
            case "punctuation" if token in _CLOSES:
                return self._collection(token, depth)
        raise LiteralInvalid("this is no Python value")

    def _signed(self, sign: str) -> int | float:
        number = self.next()
        if self.kind != "number":
            raise LiteralInvalid("a sign without a number")
        return -_number(number) if sign == "-" else _number(number)

    def _text(self, token: str) -> str:
        """Return a text, with those that follow it directly, as Python joins them."""
        parts = [_text(token)]
        while True:
            before = self.position
            self.next()
            if self.kind != "text":
                self.position = before
                return "".join(parts)
            parts.append(_text(self.token))

    def _collection(self, opened: str, depth: int) -> Any:
        closes = _CLOSES[opened]
        items: list[Any] = []
        named: dict[Any, Any] = {}
        comma = True
        pairs: bool | None = None
        while (token := self.next()) != closes:
            if not comma:
                raise LiteralInvalid("a comma is missing")
            item = self.value(token, depth - 1)
            comma = False
            token = self.next()
            if opened == "{" and pairs is None:
                pairs = token == ":"
            if pairs:
                if token != ":":
                    raise LiteralInvalid("a key without a value")
                named[_hashable(item)] = self.value(self.next(), depth - 1)
                token = self.next()
            else:
                items.append(item)
            if token == closes:
                break
            if token != "," or self.kind != "punctuation":
                raise LiteralInvalid("a comma is missing")
            comma = True
        if opened == "[":
            return items
        if opened == "{":
            return named if pairs is not False else {_hashable(item) for item in items}
        return items[0] if len(items) == 1 and not comma else tuple(items)


def _text(token: str) -> str:
    quoted = token[1:] if token[0] in "uU" else token
    if "\\" not in quoted and "\r" not in quoted and quoted[0] in "'\"":
        ends = 3 if len(quoted) >= 6 and quoted[:3] in ("'''", '"""') else 1
        return quoted[ends:-ends]
    try:
        # One text, without anything nested in it.
        value = ast.literal_eval(quoted)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise LiteralInvalid("a text has an escape that is none") from None
    if not isinstance(value, str):
        raise LiteralInvalid("this is no text")
    return value


def _number(token: str) -> int | float:
    try:
        if token[:2].lower() in ("0x", "0o", "0b") or not set(token) - set(_FIGURES):
            return int(token, 0)
        return float(token)
    except ValueError:
        raise LiteralInvalid("this is no number") from None


def _hashable(key: Any) -> Any:
    try:
        hash(key)
    except TypeError:
        raise LiteralInvalid("a list or an object stands where none can") from None
    return key
