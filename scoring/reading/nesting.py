"""Measure the depth and the number of values of a JSON text before it is parsed.

The parser recurses once a level and makes an object for every value, so a hostile text must be refused
by looking at its characters.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.messages import phrase

_STEP = bytes(1 if c in b"[{" else 0xFF for c in range(256))  # one level down, one level up (-1)
_NO_BRACKETS = bytes(c for c in range(256) if c not in b"[]{}")


def check_nesting(text: str, limits: Limits, line: int | None = None) -> None:
    """Raise Unreadable if `text` nests too deep or has too many values.

    - too deep: more than limits.depth levels
    - too many: more than limits.containers arrays and objects, or commas between values

    `text` need not be JSON. line: its number, if it is one line of many.
    """
    # Text that is not JSON may be measured wrongly; the parser then reports where it fails.
    exceeded = exceeded_limit(text, limits)
    if exceeded is DocumentCode.TOO_MANY_VALUES:
        message = phrase(
            "the file holds more than {limit:,} arrays, objects or values", limit=limits.containers
        )
        raise Unreadable(exceeded, message, line=line)
    if exceeded:
        message = phrase("arrays and objects are nested more than {limit} levels deep", limit=limits.depth)
        raise Unreadable(exceeded, message, line=line)


def exceeded_limit(text: str, limits: Limits, start: int = 0, end: int | None = None) -> DocumentCode | None:
    """Return the limit that `text[start:end]` exceeds: TOO_MANY_VALUES, TOO_DEEP or None.

    The text is JSON, or the beginning of JSON.
    """
    end = len(text) if end is None else end
    brackets = text.count("[", start, end) + text.count("{", start, end)
    is_small = end - start <= limits.containers or text.count(",", start, end) <= limits.containers
    if is_small and brackets <= min(limits.depth, limits.containers):
        return None
    containers, commas, depth = measure(utf8_pieces(text, start, end))
    if max(containers, commas) > limits.containers:
        return DocumentCode.TOO_MANY_VALUES
    return DocumentCode.TOO_DEEP if depth > limits.depth else None


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
