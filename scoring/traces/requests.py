"""The requests to a FHIR server that a conversation shows, in texts of the official protocol or as calls."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.traces.conversation import TracedCall, TracedMessage

_IN_TEXT = re.compile(r"\s*(?:```(?:tool_code)?\s*)?(GET|POST)\s+(\S*)")
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_ADDRESSES = ("url", "endpoint", "path", "uri")
_BODIES = ("result", "response", "body", "data")
_WORDS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_BY_WORD = {
    **dict.fromkeys(("get", "search", "read", "list", "find"), "GET"),
    **dict.fromkeys(("post", "create", "record", "order", "submit"), "POST"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request and its response.

    - place: position of the message, from 0
    - method, url: "" where the conversation does not state them
    - response: JSON or text; None without one
    - is_cut: whether a part of it was not stored
    """

    place: int
    method: str
    url: str
    response: Any
    is_cut: bool


def method_of_text(text: str) -> str:
    """Return the method of a request that is the text of an agent, GET or POST; "" for any other text."""
    found = _IN_TEXT.match(text)
    return found[1] if found else ""


def method_of_call(call: TracedCall) -> str:
    """Return the HTTP method of a call by what it or its reply states, else by its name; "" if unknown."""
    for stated in (call.arguments, call.result):
        method = stated.get("method") if isinstance(stated, Mapping) else None
        if isinstance(method, str) and method.upper() in _METHODS:
            return method.upper()
    if isinstance(call.result, Mapping) and isinstance(call.result.get("result"), Mapping):
        return method_of_call(TracedCall(name="", result=call.result["result"])) or _method_of_name(call.name)
    return _method_of_name(call.name)


def _method_of_name(name: str) -> str:
    words = [word.lower() for word in _WORDS.split(name)]
    return next((_BY_WORD[word] for word in words if word in _BY_WORD), "")


def requests_of(messages: Sequence[TracedMessage]) -> Iterator[Request]:
    """Yield the requests of a conversation in order."""
    for place, message in enumerate(messages):
        if message.role == "agent" and (found := _IN_TEXT.match(message.text)):
            reply = messages[place + 1] if place + 1 < len(messages) else None
            answered = reply is not None and reply.role == "user"
            yield Request(
                place=place,
                method=found[1],
                url=found[2],
                response=_json_within(reply.text) if reply and answered else None,
                is_cut=bool(reply and reply.cut),
            )
        for call in message.calls:
            url, response = _exchange(call)
            yield Request(
                place=place, method=method_of_call(call), url=url, response=response, is_cut=bool(call.cut)
            )


def _exchange(call: TracedCall) -> tuple[str, Any]:
    """Return the address and the response of a call; a reply that describes a response states both."""
    stated: list[Any] = [call.arguments, call.result]
    response = call.result
    while isinstance(response, Mapping) and "resourceType" not in response:
        inner = next((response[key] for key in _BODIES if key in response), None)
        if inner is None:
            break
        response = _json_within(inner) if isinstance(inner, str) else inner
        stated.append(response)
    for source in stated:
        for name in _ADDRESSES:
            if isinstance(source, Mapping) and isinstance(source.get(name), str):
                return source[name], response
    return "", response


def _json_within(text: str) -> Any:
    """Return the first JSON object in a text, as the official harness writes responses; else the text."""
    start = text.find("{")
    if start < 0:
        return text
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return text
