"""Measure the depth and the number of values of a JSON text before it is parsed.

The parser recurses once a level and makes an object for every value, so a hostile text must be refused
by looking at its characters.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Literal

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.messages import Phrase, phrase

_STEP = bytes(1 if c in b"[{" else 0xFF for c in range(256))  # one level down, one level up (-1)
_NO_BRACKETS = bytes(c for c in range(256) if c not in b"[]{}")
_PATH_LEVELS = 8  # levels of the path that a remark on depth shows
# An unclosed string ends with its line, as it does for the parser.
_TOKENS = re.compile(r'"(?P<text>[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+)"?|[\[\]{},:]')

Exceeded = Literal["depth", "containers"]  # the field of Limits


def check_nesting(text: str, limits: Limits, line: int | None = None) -> None:
    """Raise Unreadable if `text`, which need not be JSON, is too complex. line: its number, if it is one."""
    # Text that is not JSON may be measured wrongly; the parser then reports where it fails.
    exceeded = exceeded_limit(text, limits)
    place = _place_of_depth(text, limits.depth) if exceeded == "depth" else (None, [])
    if exceeded and place:
        message = complexity_message(limits, exceeded)
        raise Unreadable(DocumentCode.TOO_COMPLEX, message, line=line or place[0], steps=place[1])


def complexity_message(limits: Limits, exceeded: Exceeded | None = None) -> Phrase:
    """Return the message about JSON that `is_too_complex`. exceeded: the limit; None for one of them."""
    most, depth = limits.containers, limits.depth
    if exceeded == "depth":
        return phrase("arrays and objects are nested more than {limit} levels deep", limit=depth)
    if exceeded == "containers":
        return phrase("it holds more than {limit:,} arrays, objects or values", limit=most)
    return phrase("it holds more than {most:,} values, or {depth} levels of them", most=most, depth=depth)


def is_too_complex(text: str, limits: Limits) -> bool:
    """Return whether `text`, JSON or the beginning of it, exceeds a limit."""
    return exceeded_limit(text, limits) is not None


def exceeded_limit(text: str, limits: Limits, start: int = 0, end: int | None = None) -> Exceeded | None:
    """Return the limit that `text[start:end]`, JSON or the beginning of it, exceeds; None if it keeps both.

    - depth: more than limits.depth levels
    - containers: more than limits.containers arrays and objects, or commas between values
    """
    end = len(text) if end is None else end
    brackets = text.count("[", start, end) + text.count("{", start, end)
    is_small = end - start <= limits.containers or text.count(",", start, end) <= limits.containers
    if is_small and brackets <= min(limits.depth, limits.containers):
        return None
    containers, commas, depth = measure(utf8_pieces(text, start, end))
    if max(containers, commas) > limits.containers:
        return "containers"
    return "depth" if depth > limits.depth else None


def utf8_pieces(text: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield `text[start:end]` in UTF-8, in pieces of about a MiB that never cut an escape.

    Lone surrogates are encoded as they are. A copy of the whole text would take as much memory as its
    values.
    """
    end = len(text) if end is None else end
    while start < end:
        piece = text[start : min(start + MIB, end)]
        if (len(piece) - len(piece.rstrip("\\"))) % 2:
            piece += text[start + len(piece) : min(start + len(piece) + 1, end)]
        start += len(piece)
        yield piece.encode(errors="surrogatepass")


def measure(pieces: Iterable[bytes]) -> tuple[int, int, int]:
    """Return the number of containers, of commas, and the depth of `pieces`, outside strings.

    Exact if the pieces are JSON. For anything else the figures mean nothing, but no parser gets far in it.
    """
    containers = commas = depth = deepest = is_in_string = 0
    # Go by pieces, because a list of all strings of a large text would take gigabytes.
    for piece in pieces:
        parts = piece.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        outside = b"".join(parts[is_in_string::2])
        is_in_string ^= (len(parts) - 1) & 1
        commas += outside.count(b",")
        steps = outside.translate(_STEP, _NO_BRACKETS)
        opened = steps.count(1)
        containers += opened
        highest = max(accumulate(memoryview(steps).cast("b"), initial=depth))
        deepest = max(deepest, highest)
        depth += 2 * opened - len(steps)
    return containers, commas, deepest


def _place_of_depth(text: str, limit: int) -> tuple[int, list[str | int]] | None:
    """Return the line where level `limit` + 1 opens, and the path to it; None if none does."""
    path: list[str | int] = []
    key = ""
    for token in _TOKENS.finditer(text):
        match token[0]:
            case "[":
                path.append(0)
            case "{":
                path.append("")
            case "]" | "}":
                if path:
                    path.pop()
            case ":":
                if path:
                    path[-1] = key
            case ",":
                last = path[-1] if path else None
                if isinstance(last, int):
                    path[-1] = last + 1
            case _:
                key = token["text"]
        if len(path) > limit:
            return text.count("\n", 0, token.start()) + 1, path[:-1][:_PATH_LEVELS]
    return None
