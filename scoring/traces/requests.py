"""Which texts and calls of a conversation are HTTP requests, by the official protocol or their own words."""

import re
from collections.abc import Mapping

from wardboard.scoring.traces.conversation import TracedCall

_IN_TEXT = re.compile(r"\s*(?:```(?:tool_code)?\s*)?(GET|POST)\s")
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_WORDS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_BY_WORD = {
    **dict.fromkeys(("get", "search", "read", "list", "find"), "GET"),
    **dict.fromkeys(("post", "create", "record", "order", "submit"), "POST"),
}


def method_of_text(text: str) -> str:
    """Return the method of a request that is the text of an agent, GET or POST; "" for any other text."""
    found = _IN_TEXT.match(text)
    return found[1] if found else ""


def method_of_call(call: TracedCall) -> str:
    """Return the HTTP method of a call by what it or its reply states, else by its name; "" if unknown."""
    within = call.result.get("result") if isinstance(call.result, Mapping) else None
    for stated in (call.arguments, call.result, within):
        method = stated.get("method") if isinstance(stated, Mapping) else None
        if isinstance(method, str) and method.upper() in _METHODS:
            return method.upper()
    words = [word.lower() for word in _WORDS.split(call.name)]
    return next((_BY_WORD[word] for word in words if word in _BY_WORD), "")
