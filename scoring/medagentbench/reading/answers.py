"""Parse answers and payloads as the official graders do, with Python's `json.loads`."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wardboard.scoring.reading.nesting import measure, utf8_pieces

# The depth to which `json.loads` parses a payload when a script calls the official `eval` on CPython 3.8
# to 3.11: the recursion limit of 1,000 minus the frames between the script and the parser. Measured there
# and fixed here, so that deeper text does not parse, whatever our own interpreter and stack allow.
MAX_DEPTH = 992

_FINISH = "FINISH("
# It makes a new object for each NaN: two lists that share one NaN would be equal, but NaN equals nothing.
_DECODER = json.JSONDecoder(parse_constant=float)


def parse_json(text: str) -> Any:
    """Return the value of the JSON `text`, as Python 3.11's `json.loads` reads it.

    Only the white space of JSON is allowed. NaN, Infinity and 1e400 are accepted. The last of duplicate
    keys counts. Raises ValueError if `text` does not parse, has an integer of more than 4,300 digits or
    nests deeper than MAX_DEPTH. The result does not depend on the depth of the caller's stack.
    """
    if nests_deeper(text, MAX_DEPTH):
        raise ValueError("nested too deep")
    try:
        return _DECODER.decode(text)
    except RecursionError:
        # Our stack is deeper than the official evaluator's. A new thread starts with an empty one.
        with ThreadPoolExecutor(max_workers=1) as pool:
            return pool.submit(_DECODER.decode, text).result()


def is_list(text: str) -> bool:
    """Return whether `text` is the JSON of a list."""
    try:
        return text.lstrip().startswith("[") and isinstance(parse_json(text), list)
    except ValueError:
        return False


def within_finish(text: str) -> str | None:
    """Return what FINISH(...) is around, as the official harness takes it; None for any other text.

    Like the harness, it does not look at the last character. Source: MedAgentBench's harness.
    """
    return text[len(_FINISH) : -1] if text.startswith(_FINISH) else None


def nests_deeper(text: str, most: int) -> bool:
    """Return whether the JSON `text` has more than `most` levels."""
    if text.count("[") + text.count("{") <= most:
        return False
    # The official graders treat lone surrogates like any other character.
    return measure(utf8_pieces(text))[2] > most
