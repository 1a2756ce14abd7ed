"""Parse text as JSON, or report the error in it."""

import json
import re
from typing import Any

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.lookalikes import text_kind
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.nesting import check_nesting, complexity_message
from wardboard.scoring.reading.problems import quote

_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_CUT_TOKEN = re.compile(r"\.|[eE][+-]?|\\?u[0-9a-fA-F]{0,4}")


def parse_json(text: str, findings: Findings) -> Any:
    """Return the JSON value of `text`, with NaN and Infinity as None.

    Repeated keys are added to the warnings of `findings`, whose `line` is set where `text` is one of many;
    every remark then carries it. Raises Unreadable, and nothing else, for text that is not JSON or passes a
    limit. Source of what JSON is: Python's json.loads, which the official harness uses.
    """
    line = findings.line
    has_repeated = False

    def on_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal has_repeated
        value = object_of(pairs)
        has_repeated |= isinstance(value, Repeated)
        return value

    try:
        check_nesting(text, findings.limits, line)
        value = json.loads(text, object_pairs_hook=on_object, parse_constant=lambda name: None)
    except json.JSONDecodeError as error:
        raise _syntax_error(text, error, line) from None
    except (RecursionError, ValueError):
        # An integer of too many digits; or limits.depth is set higher than the interpreter can go.
        raise Unreadable(DocumentCode.TOO_COMPLEX, complexity_message(findings.limits), line=line) from None
    if has_repeated:
        _warn_of_repeated(value, (), findings)
    return value


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


def _warn_of_repeated(value: Any, path: tuple[str | int, ...], findings: Findings) -> None:
    """Add a warning for each repeated key in the value at `path`."""
    if isinstance(value, Repeated):
        # Keep the order of the file, which a set loses.
        for key in (key for key in value if key in value.repeated):
            findings.warning(DocumentCode.DUPLICATE_KEY, path, repeated_key(key))
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list):
            _warn_of_repeated(item, (*path, step), findings)


def _syntax_error(text: str, error: json.JSONDecodeError, line: int | None) -> Unreadable:
    at = line or error.lineno
    # A single broken line does not make the file a web page.
    kind = None if line else text_kind(text, error.pos)
    if kind:
        return Unreadable(*kind, line=at)
    if is_cut(text, error):
        end = line or text.count("\n") + 1
        column = len(text) - text.rfind("\n")
        message = phrase(
            "the text ends too early, on line {line:,}, column {column:,}", line=end, column=column
        )
        return Unreadable(DocumentCode.TRUNCATED, message, line=end, column=column)
    start = max(error.pos - 30, text.rfind("\n", 0, error.pos) + 1)
    excerpt = quote(text[start : error.pos + 30].partition("\n")[0])
    if error.msg != "Extra data":
        message = syntax_remark(error, at, error.colno, excerpt)
        return Unreadable(DocumentCode.SYNTAX, message, line=at, column=error.colno)
    place: dict[str, str | int] = {"line": at, "column": error.colno, "excerpt": excerpt}
    if text.startswith(("{", "["), error.pos):
        message = phrase(
            "another JSON document begins on line {line:,}, column {column:,}, at “{excerpt}”", **place
        )
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


def is_cut(text: str, error: json.JSONDecodeError) -> bool:
    """Return whether the parser stopped because the text ended, not at an error."""
    if error.msg.startswith("Unterminated string"):
        return True
    rest = text[error.pos : error.pos + 20].rstrip(" \t\n\r")
    if not rest:
        return True
    cut = any(literal.startswith(rest) for literal in _LITERALS) or _CUT_TOKEN.fullmatch(rest)
    return bool(cut) and error.msg != "Extra data"
