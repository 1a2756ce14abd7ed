"""Decide what a recorded call of a tool means to the official graders, which read POSTs as text.

Nothing is guessed: a body that the record does not show stays unknown, and a POST is accepted only if its
reply proves that. Source: MedAgentBench's evaluator (utils.py): check_has_post and extract_posts.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urljoin, urlsplit

from wardboard.scoring.medagentbench.reading.tool_calls.programs import post_of_program
from wardboard.scoring.medagentbench.reading.tool_calls.replies import (
    ACCEPTED,
    HTTP_METHODS,
    Reply,
    stated_method,
)
from wardboard.scoring.medagentbench.reading.tool_calls.texts import (
    decoded,
    first_text,
    is_resource,
    value_of,
)

_ADDRESSES = ("url", "endpoint", "path", "uri")
_TYPES = ("resource_type", "resourceType")
_CREATES = {"create", "record", "order", "submit"}
_READS = {"list", "search", "find", "read"}
# The words after "post" in a name that has nothing to do with the method.
_NOT_THE_METHOD = {"process", "processing", "processor", "op", "operative"}
# The types that the benchmark asks for, as the name of a tool ends: the record does not show another type.
_NAMED_TYPES = {
    "observation": "Observation",
    "medicationrequest": "MedicationRequest",
    "servicerequest": "ServiceRequest",
}

_WORDS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_BASE = re.compile(r"https?://\S{1,200}?/fhir/", re.I)


class Sign(StrEnum):
    """What has to be stated of a call."""

    ENCODED_TWICE = "payload.encoded-twice"
    NOT_JSON = "payload.not-json"
    FROM_RESULT = "payload.from-result"
    JOINED = "url.joined"
    OTHER_BASE = "url.other-base"
    SEARCH = "post.search"
    OPERATION = "post.operation"
    BUNDLE = "post.bundle"
    PAYLOAD_UNKNOWN = "post.payload-unknown"
    SHELL = "post.shell"
    CODE = "post.code"
    NOT_SENT = "post.not-sent"
    UNCLEAR_REPLY = "post.unclear-reply"
    NO_RESULT = "post.no-result"
    PHRASE_REMOVED = "reply.phrase-removed"
    OTHER_METHOD = "write.other-method"
    LIKE_A_POST = "post.maybe"


class Kind(StrEnum):
    """UNKNOWN: a POST whose body the record does not show."""

    POST = "post"
    UNKNOWN = "unknown"
    NOT_A_POST = "not-a-post"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a call means.

    - payload: the body sent; text if it is not JSON
    - accepted: whether the server took it; None if the record does not prove either
    - history: the items of a history that say the same; none if the call is no POST
    """

    kind: Kind
    url: str | None = None
    payload: Any = None
    accepted: bool | None = None
    signs: tuple[Sign, ...] = ()
    history: tuple[dict[str, str], ...] = ()


def decide(name: Any, arguments: Any, result: Any, base: str, *, used: str = "") -> Decision:
    """Return what a call means.

    result: None if there is no reply. base: the address of the FHIR server that the benchmark expects
    used: that of the server that the run used, to which relative addresses are joined; "" for `base`
    """
    used = used or base
    arguments = value_of(arguments)
    arguments = arguments if isinstance(arguments, dict) else {}
    words = words_of_name(name)
    if program := post_of_program(words, arguments, used):
        if program.body is None:
            return _unknown(program.url, result, [Sign.CODE if program.is_code else Sign.SHELL])
        url, signs = _address(program.url, base, used)
        return _post(url, program.body, Reply(result), result, signs)
    return _decide_request(words, arguments, result, base, used)


def base_of(arguments: Any) -> str | None:
    """Return the base of a FHIR server that a call addresses in full; None for any other call."""
    arguments = value_of(arguments)
    address = first_text(arguments, _ADDRESSES) if isinstance(arguments, dict) else None
    found = _BASE.match(address) if address else None
    return found[0] if found else None


def words_of_name(name: Any) -> list[str]:
    """Return the words in the name of a tool, in lower case."""
    return [word.lower() for word in _WORDS.split(name) if word] if isinstance(name, str) else []


def _decide_request(
    words: list[str], arguments: Mapping[str, Any], result: Any, base: str, used: str
) -> Decision:
    within = arguments.get("request")
    stated = {**within, **arguments} if isinstance(within, dict) else arguments
    method = stated_method(stated)
    by_name = _method_of_name(words)
    if (method or by_name) not in ("", "POST"):
        return _other_method(method or by_name)
    reply = Reply(result)
    if not method and reply.method not in ("", "POST"):
        return _other_method(reply.method)
    body = _body(arguments, stated)
    sent_to = first_text(stated, _ADDRESSES)
    named_type = _named_type(words)
    resource = value_of(body)
    has_resource = is_resource(resource) or (body is not None and first_text(stated, _TYPES))
    if not (
        reply.method == "POST"
        or (reply.tells_of_post and has_resource)
        or ("POST" in (method, by_name) and (sent_to is not None or body is not None))
        # With a type as its name, the tool may make the resource itself, and not show it.
        or (named_type is not None and (named_type or has_resource))
    ):
        # The server answered as to a POST, but nothing says that the tool sent one.
        is_like_one = is_resource(resource) and reply.accepts(resource)
        return Decision(kind=Kind.NOT_A_POST, signs=(Sign.LIKE_A_POST,) if is_like_one else ())
    if reply.is_refused_by_tool or any(stated.get(key) is True for key in ("dry_run", "dryRun")):
        return Decision(kind=Kind.NOT_A_POST, signs=(Sign.NOT_SENT,))
    signs = []
    if reply.sent is not None:
        if body is not None and resource != reply.sent:
            signs.append(Sign.FROM_RESULT)
        body = resource = reply.sent
    resource_type = resource["resourceType"] if is_resource(resource) else first_text(stated, _TYPES)
    to_type = "/" if resource_type == "Bundle" else resource_type or named_type or None
    sent_to = sent_to or reply.url or to_type
    url, more = _address(sent_to, base, used)
    if body is None:
        # No address was sent, so none was joined.
        return _unknown(url, result, [*(each for each in more if each != Sign.JOINED), Sign.PAYLOAD_UNKNOWN])
    return _post(url, body, reply, result, [*signs, *more])


def _other_method(method: str) -> Decision:
    return Decision(kind=Kind.NOT_A_POST, signs=() if method == "GET" else (Sign.OTHER_METHOD,))


def _unknown(url: str | None, result: Any, signs: list[Sign]) -> Decision:
    """Return a POST without its body, which is one to check_has_post alone."""
    items = [_item("agent", f"POST {url or ''}".rstrip())]
    if result is None:
        signs = [*signs, Sign.NO_RESULT]
    else:
        items.append(_item("user", _text(result)))
    # Without the body a reply can only prove that the server did not take it.
    accepted = False if Reply(result).accepts(None) is False else None
    return Decision(kind=Kind.UNKNOWN, url=url, accepted=accepted, signs=tuple(signs), history=tuple(items))


def _post(url: str | None, body: Any, reply: Reply, result: Any, signs: list[Sign]) -> Decision:
    text, payload, times_encoded = decoded(body)
    accepted = reply.accepts(payload)
    signs = [*signs, *_signs_of_address(url, payload)]
    if times_encoded > 1:
        signs.append(Sign.ENCODED_TWICE)
    if isinstance(payload, str) and Sign.SEARCH not in signs:
        signs.append(Sign.NOT_JSON)
    items = [_item("agent", f"POST {url or ''}\n{text}")]
    if result is None:
        signs.append(Sign.NO_RESULT)
    else:
        reply_text = _text(result)
        if accepted and ACCEPTED not in reply_text:
            reply_text = f"{ACCEPTED} (derived from the recorded status)"
        elif not accepted and ACCEPTED in reply_text:
            reply_text = reply_text.replace(ACCEPTED, "POST request (not accepted)")
            signs.append(Sign.PHRASE_REMOVED)
        if accepted is None:
            signs.append(Sign.UNCLEAR_REPLY)
        items.append(_item("user", reply_text))
    return Decision(
        kind=Kind.POST, url=url, payload=payload, accepted=accepted, signs=tuple(signs), history=tuple(items)
    )


def _address(sent_to: str | None, base: str, used: str) -> tuple[str | None, list[Sign]]:
    """Return an absolute address on one line, and what has to be stated of it."""
    if sent_to is None:
        return None, []
    url, signs = " ".join(sent_to.split()), list[Sign]()
    if not re.match(r"https?://", url, re.I):
        path = urlsplit(used).path
        is_on_server = len(path) > 1 and url.startswith(path)
        url = urljoin(used, url) if is_on_server else used + url.lstrip("/")
        signs.append(Sign.JOINED)
    if not (url.startswith(base) or url == base.rstrip("/")):
        signs.append(Sign.OTHER_BASE)
    return url, signs


def _signs_of_address(url: str | None, payload: Any) -> list[Sign]:
    last = (url or "").partition("?")[0].rpartition("/")[2]
    if last == "_search":
        return [Sign.SEARCH]
    if last.startswith("$"):
        return [Sign.OPERATION]
    is_bundle = isinstance(payload, dict) and payload.get("resourceType") == "Bundle"
    return [Sign.BUNDLE] if is_bundle and last != "Bundle" else []


def _method_of_name(words: list[str]) -> str:
    methods = [
        word.upper()
        for word, following in zip(words, [*words[1:], ""], strict=False)
        if word.upper() in HTTP_METHODS and not (word == "post" and following in _NOT_THE_METHOD)
    ]
    return next((method for method in methods if method != "POST"), "POST" if methods else "")


def _named_type(words: list[str]) -> str | None:
    """Return the type of what a tool creates by its name; "" if it is another; None if it creates nothing."""
    first = next((place for place, word in enumerate(words) if word in _CREATES), None)
    if first is None or _READS.intersection(words):
        return None
    thing = "".join(words[first + 1 :])
    if not thing:
        # `observation_create` creates one; in `service_request_order` the last word may be a noun.
        thing = "".join(words[:first]) if words[first] == "create" else ""
    return next((kind for end, kind in _NAMED_TYPES.items() if thing.endswith(end)), "")


def _body(arguments: Mapping[str, Any], stated: Mapping[str, Any]) -> Any:
    """Return the body among the arguments of a call: a resource before what may be one; None without one."""
    named = (stated.get(key) for key in ("payload", "body", "data", "json", "resource", "content"))
    bodies = [body for body in named if isinstance(body, (dict, list, str)) and body != ""]
    possible = [*bodies, arguments, *stated.values()]
    return next((body for body in possible if is_resource(value_of(body))), None) or next(iter(bodies), None)


def _text(result: Any) -> str:
    return result if isinstance(result, str) else json.dumps(result)


def _item(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}
