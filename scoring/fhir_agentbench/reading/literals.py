"""Reading a printed Python value: what ast.literal_eval gives, without Python's parser.

Python's own parser can be made to take gigabytes, or the process with it, by a short hostile text.
"""

import json
import re
import sys
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
    re.VERBOSE | re.DOTALL | re.ASCII,
)
# A text or a plain number of a list, with the comma behind it: most of a long literal consists of these.
_ITEM = re.compile(
    r"""[ \t\r\n\f]*+(?:
    '([^'\\\n\r]*+(?:\\.[^'\\\n\r]*+)*+)'
  | "([^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*+)"
  | (0|[1-9]\d{0,17}+)
    )[ ]*+,""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_NAMES = {"None": None, "True": True, "False": False}
_CLOSES = {"[": "]", "(": ")", "{": "}"}
_FIGURES = "0123456789_"
# Python reads and prints integers of so many digits; of a hexadecimal one the bits count.
_DIGITS, _BITS = 4300, 14_000
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {
    **{"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"},
    **{"\\": "\\", "'": "'", '"': '"', "\n": ""},
}
# Where a text has one of these, it is not the same in both languages.
_DIFFERENT = ('"', "\\", "true", "false", "null", "NaN", "Infinity")


class LiteralInvalid(ValueError):
    """The text is no literal, or is too large a one."""


def parse_literal(text: str, *, depth: int = DEPTH, values: int = VALUES) -> Any:
    """Return the value that `text` is the printed form of: dict, list, tuple, set, str, number, bool, None.

    The same as ast.literal_eval, but for bytes, complex numbers, the ellipsis, comments, characters by name
    and tuples without brackets, which nothing prints. Nothing but text is ever hashed, since numbers can be
    chosen so that all of them meet: keys that are none come as what Python prints of them, and a set with
    others in it comes as a list. depth: levels at most; values: values at most, keys counted.
    Raises LiteralInvalid, and nothing else.
    """
    if (plain := parse_plain(text, depth=depth, values=values)) is not None:
        return plain
    parser = _Parser(text, values)
    value = parser.value(parser.next(), depth)
    if parser.next() != "":
        raise LiteralInvalid("text follows the value")
    return value


def parse_plain(text: str, *, depth: int = DEPTH, values: int = VALUES) -> Any:
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
    inside: int = 0  # brackets that are open

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
        before = self.position
        number = self.next()
        self._stay_on_line(before)
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
            self._stay_on_line(before)
            parts.append(_text(self.token))

    def _stay_on_line(self, before: int) -> None:
        """Outside of brackets a value ends with its line, as in a program."""
        gap = self.text[before : self.position - len(self.token)]
        if not self.inside and ("\n" in gap or "\r" in gap):
            raise LiteralInvalid("a value goes on after its line")

    def _add_plain(self, items: list[Any]) -> None:
        """Add the texts and plain numbers with a comma behind them that stand here."""
        text, before = self.text, len(items)
        most = before + self.left
        while len(items) < most and (found := _ITEM.match(text, self.position)):
            plain = found[found.lastindex or 0]
            items.append(int(plain) if found.lastindex == _ITEM.groups else _unescape(plain))
            self.position = found.end()
        self.left -= len(items) - before

    def _collection(self, opened: str, depth: int) -> Any:
        closes = _CLOSES[opened]
        self.inside += 1
        items: list[Any] = []
        named: dict[Any, Any] = {}
        comma = True
        pairs: bool | None = None
        while True:
            if opened != "{" and comma and depth > 0:
                self._add_plain(items)
            if (token := self.next()) == closes:
                break
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
                named[_key(item)] = self.value(self.next(), depth - 1)
                token = self.next()
            else:
                items.append(item)
            if token == closes:
                break
            if token != "," or self.kind != "punctuation":
                raise LiteralInvalid("a comma is missing")
            comma = True
        self.inside -= 1
        if opened == "[":
            return items
        if opened == "{":
            return named if pairs is not False else _set(items)
        return items[0] if len(items) == 1 and not comma else tuple(items)


def _text(token: str) -> str:
    quoted = token.lstrip("uUrR")
    ends = 3 if len(quoted) >= 6 and quoted[:3] in ("'''", '"""') else 1
    text = quoted[ends:-ends]
    if "\r" in text:
        # As in the text of a program, where every end of a line is one character.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if token[0] in "rR" else _unescape(text)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    if len(text) == 2 and text[1] in _ESCAPED:
        return _ESCAPED[text[1]]
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(escape: re.Match[str]) -> str:
    what = escape[0][1:]
    if (character := _ESCAPED.get(what)) is not None:
        return character
    if what[0] in "01234567":
        return chr(int(what, 8))
    if len(what) > 1 and (number := int(what[1:], 16)) <= sys.maxunicode:
        return chr(number)
    if what[0] in "xuUN":
        raise LiteralInvalid("a text has an escape that is none")
    return escape[0]


def _number(token: str) -> int | float:
    if len(token) > _DIGITS:
        raise LiteralInvalid("a number has too many digits")
    try:
        if token[:2].lower() not in ("0x", "0o", "0b") and set(token) - set(_FIGURES):
            return float(token)
        number = int(token, 0)
    except ValueError:
        raise LiteralInvalid("this is no number") from None
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
    """Return a set of text; a list without what is printed alike where other items are in it."""
    if all(isinstance(item, str) for item in items):
        return set(items)
    if any(isinstance(item, list | tuple | set | dict) for item in items):
        raise LiteralInvalid("a list, an object or a tuple stands in a set")
    return list({repr(item): item for item in items}.values())
