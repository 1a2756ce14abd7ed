"""Parse text as JSON, or report the error in it."""

import json
import re
from typing import Any

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.lookalikes import text_kind
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.nesting import check_nesting
from wardboard.scoring.reading.problems import quote

_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_CUT_TOKEN = re.compile(r"\.|[eE][+-]?|\\?u[0-9a-fA-F]{0,4}")
# What some loggers begin a line with, and JSON cannot.
_LOG_LINE = re.compile(r"\s*\[(?:[A-Z]{2}|\d{4}-\d\d-\d\d)")
_HEAD = 10_000  # characters that are looked at behind such a beginning
# Python's own limit on reading an integer (sys.int_info.default_max_str_digits).
_LONG_INTEGER = re.compile(
    r'"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"?|(?P<long>(?<![\d.eE+-])-?\d{4301,}+(?![\d.eE]))'
)


def parse_json(text: str, findings: Findings) -> Any:
    """Return the JSON value of `text`, with NaN and Infinity as None.

    Bare NaN and Infinity, and repeated keys, are added to the warnings of `findings`, whose `line`
    is set where `text` is one line of many; every remark then carries it.
    Raises Unreadable, and nothing else, for text that is not JSON or passes a limit.
    Source of what JSON is: Python's json.loads, which the official harness uses.
    """
    line = findings.line
    hooks = _ParserHooks(findings.limits.listed)
    decoder = json.JSONDecoder(object_pairs_hook=hooks.on_object, parse_constant=hooks.on_constant)
    try:
        check_nesting(text, findings.limits, line)
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise _syntax_error(text, error, line) from None
    except RecursionError:
        # This happens only where limits.depth is set higher than the interpreter can go.
        message = phrase("the JSON is nested too deeply")
        raise Unreadable(DocumentCode.TOO_COMPLEX, message, line=line) from None
    except ValueError:
        integer = next((match for match in _LONG_INTEGER.finditer(text) if match["long"]), None)
        at = line or (text.count("\n", 0, integer.start()) + 1 if integer else None)
        raise Unreadable(DocumentCode.TOO_COMPLEX, long_integer(), line=at) from None
    return hooks.resolve(value, findings) if hooks.has_marks else value


def first_value(text: str) -> Any:
    """Return the JSON value that a text begins with; None if that is none, or is cut."""
    try:
        return json.JSONDecoder().raw_decode(text.lstrip())[0]
    except (ValueError, RecursionError):
        return None


def long_integer() -> Phrase:
    """Return the message about an integer that Python does not read."""
    return phrase("an integer has more than 4,300 digits")


class Repeated(dict[str, Any]):
    """An object of a file that has the keys `repeated` more than once."""

    __slots__ = ("repeated",)
    repeated: set[str]


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of `pairs`, a Repeated if a key is repeated: a hook of the parser."""
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    first: set[str] = set()
    repeated: set[str] = set()
    for key, _ in pairs:
        (repeated if key in first else first).add(key)
    marked = Repeated(value)
    marked.repeated = repeated
    return marked


def repeated_key(key: str) -> Phrase:
    """Return the remark on a key that occurs more than once in an object."""
    return phrase("the key “{key}” occurs more than once; the last one counts", key=quote(key))


class _ParserHooks:
    """Hooks of the parser, which get no positions, so that they only mark values for `resolve`."""

    def __init__(self, most: int) -> None:
        """Take the number of remarks to list at `most`; further repeated keys are only counted."""
        self.has_marks = False
        self._left, self._unlisted = most, 0
        # Mark with objects of our own, since 1e400 gives the float inf too, and passes as a number.
        self._constants = {"NaN": object(), "Infinity": object(), "-Infinity": object()}
        self._names = {mark: name for name, mark in self._constants.items()}

    def on_constant(self, name: str) -> object:
        self.has_marks = True
        return self._constants[name]

    def on_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = object_of(pairs)
        if not isinstance(value, Repeated):
            return value
        self.has_marks = True
        if self._left <= 0:
            self._unlisted += len(value.repeated)
            return dict(value)
        self._left -= len(value.repeated)
        return value

    def resolve(self, value: Any, findings: Findings) -> Any:
        """Return `value` with None for each mark of a constant; add a warning for each mark."""
        path: list[str | int] = []

        def replace_marks(value: Any) -> Any:
            if isinstance(value, Repeated):
                # Keep the order of the file, which a set loses.
                for key in (key for key in value if key in value.repeated):
                    message = repeated_key(key)
                    findings.warning(DocumentCode.DUPLICATE_KEY, path, message)
            if isinstance(value, (dict, list)):
                for step, item in value.items() if isinstance(value, dict) else enumerate(value):
                    # Only these can be or hold a mark; a call for each string would be slow.
                    if isinstance(item, (dict, list)) or type(item) is object:
                        path.append(step)
                        value[step] = replace_marks(item)
                        path.pop()
                return value
            message = phrase("{name} is not a JSON number; it is read as null", name=self._names[value])
            findings.warning(DocumentCode.NAN, path, message)
            return None

        result = replace_marks(value)
        findings.warnings.count(DocumentCode.DUPLICATE_KEY, self._unlisted)
        return result


def _syntax_error(text: str, error: json.JSONDecodeError, line: int | None) -> Unreadable:
    at = line or error.lineno
    # A single broken line does not make the file a web page.
    begins = text[:_HEAD].replace("[", " ", 1) if _LOG_LINE.match(text) else text
    kind = None if line else text_kind(begins, error.pos)
    if kind:
        return Unreadable(*kind, line=at)
    if is_cut(text, error):
        end = line or text.count("\n") + 1
        column = len(text) - text.rfind("\n")
        place: dict[str, str | int] = {"line": end, "column": column}
        message = phrase("the text ends too early, on line {line:,}, column {column:,}", **place)
        return Unreadable(DocumentCode.TRUNCATED, message, line=end, column=column)
    start = max(error.pos - 30, text.rfind("\n", 0, error.pos) + 1)
    excerpt = quote(text[start : error.pos + 30].partition("\n")[0])
    if error.msg != "Extra data":
        message = syntax_remark(error, at, error.colno, excerpt)
        hint = hint_on_slip(text, error.pos)
        return Unreadable(DocumentCode.SYNTAX, message, hint, line=at, column=error.colno)
    place = {"line": at, "column": error.colno, "excerpt": excerpt}
    if text.startswith(("{", "["), error.pos):
        message = phrase("another JSON document begins on line {line:,}, at “{excerpt}”", **place)
        return Unreadable(DocumentCode.SEVERAL, message, line=at, column=error.colno)
    message = phrase("text follows the JSON on line {line:,}, column {column:,}, at “{excerpt}”", **place)
    return Unreadable(DocumentCode.AROUND, message, line=at, column=error.colno)


def syntax_remark(error: json.JSONDecodeError, line: int, column: int, excerpt: str) -> Phrase:
    """Return the remark on the place where the parser stopped, `line` and `column` from 1."""
    return phrase(
        "line {line:,}, column {column:,}, at “{excerpt}”: {trouble}",
        line=line,
        column=column,
        excerpt=excerpt,
        trouble=error.msg.removesuffix(" at").lower(),
    )


def hint_on_slip(text: str, position: int) -> Phrase | None:
    """Return the hint on one of the commonest slips of people; None for another. position: of the error."""
    found = text[position : position + 2]
    if found[:1] in ("]", "}") and text[max(0, position - 200) : position].rstrip().endswith(","):
        return phrase("Delete the comma before the closing bracket.")
    if found[:1] == "#" or found in ("//", "/*"):
        return phrase("Delete the comment: JSON has none.")
    if found[:1] == "\\":
        return phrase("Write a backslash within a string as two backslashes.")
    if found[:1] < " ":
        return phrase("Write a line break within a string as \\n and a tab as \\t.")
    return None


def is_cut(text: str, error: json.JSONDecodeError) -> bool:
    """Return whether the parser stopped because the text ended, not at an error."""
    if error.msg.startswith("Unterminated string"):
        return True
    rest = text[error.pos : error.pos + 20].rstrip(" \t\n\r")
    if not rest:
        return True
    cut = any(literal.startswith(rest) for literal in _LITERALS) or _CUT_TOKEN.fullmatch(rest)
    return bool(cut) and error.msg != "Extra data"
