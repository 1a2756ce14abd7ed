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
    """Return the JSON value of `text`, with NaN and Infinity as None; of repeated keys, the last counts.

    Raises Unreadable, and nothing else, for text that is not JSON or passes a limit; with the line of
    `findings`, which is set where `text` is one of many.
    Source of what JSON is: Python's json.loads, which the official harness uses.
    """
    line = findings.line
    try:
        check_nesting(text, findings.limits, line)
        return json.loads(text, parse_constant=lambda name: None)
    except json.JSONDecodeError as error:
        raise _syntax_error(text, error, line) from None
    except (RecursionError, ValueError):
        # An integer of too many digits; or limits.depth is set higher than the interpreter can go.
        raise Unreadable(DocumentCode.TOO_COMPLEX, complexity_message(findings.limits), line=line) from None


def _syntax_error(text: str, error: json.JSONDecodeError, line: int | None) -> Unreadable:
    at = line or error.lineno
    # A single broken line does not make the file a web page.
    kind = None if line else text_kind(text, error.pos)
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
    before = text[max(0, position - 200) : position].rstrip()
    if found[:1] in ("]", "}") and before.endswith(","):
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
