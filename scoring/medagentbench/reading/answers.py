"""Reading answers and payloads as the official graders read them: Python's `json.loads`."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from scoring.medagentbench.reasons import Reason
from scoring.reading.nesting import measure, pieces_of

# How deep `json.loads` follows a payload when a script calls the official `eval` on CPython 3.8 to
# 3.11: the recursion limit of 1,000 less the frames from the script down to the parser. Measured
# there, and fixed here: deeper text does not parse, whatever our own interpreter and stack allow.
MAX_DEPTH = 992

# Each NaN a new object: a list that holds one and the same NaN would equal itself, and NaN equals nothing.
_DECODER = json.JSONDecoder(parse_constant=float)


def parse_json(text: str) -> Any:
    """Return what the JSON `text` holds, as Python 3.11's `json.loads` reads it.

    White space is JSON's only; NaN, Infinity and 1e400 pass; of duplicate keys the last wins.
    Raises ValueError for what does not parse, has an integer of more than 4,300 digits or nests
    deeper than MAX_DEPTH. The outcome does not depend on how deep the caller's own stack is.
    """
    if _nests_too_deep(text):
        raise ValueError("nested too deep")
    try:
        return _DECODER.decode(text)
    except RecursionError:
        # Our stack is deeper than the official evaluator's. A new thread has its stack to itself.
        with ThreadPoolExecutor(max_workers=1) as pool:
            return pool.submit(_DECODER.decode, text).result()


def _nests_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    # Lone surrogates are characters like others to the official graders.
    return measure(pieces_of(text))[2] > MAX_DEPTH


def check_equal(answer: Any, *allowed: Any) -> Reason | None:
    """Return None if `answer`, parsed, equals one of `allowed` in Python's sense, or why not.

    answer: JSON text; anything else fails. 60 equals 60.0 and true equals 1.
    """
    return _check(answer, lambda parsed: parsed in allowed)


def check_near(answer: Any, number: float) -> Reason | None:
    """Return None if `answer` is a list of one number less than 0.1 from `number`, or why not."""
    return _check(answer, lambda parsed: len(parsed) == 1 and abs(parsed[0] - number) < 0.1)


def _check(answer: Any, passes: Callable[[Any], bool]) -> Reason | None:
    if answer is None:
        return Reason.NO_ANSWER
    if not isinstance(answer, str):
        return Reason.ANSWER_NOT_JSON
    try:
        parsed = parse_json(answer)
    except ValueError:
        return Reason.ANSWER_NOT_JSON
    try:
        return None if passes(parsed) else Reason.ANSWER_MISMATCH
    # As the official graders: what has no length, no first element or no difference is another answer.
    except (ArithmeticError, LookupError, TypeError):
        return Reason.ANSWER_MISMATCH
