"""The parts of a message as libraries write them: texts, calls of tools, and replies to these.

Each library has its own keys. A call is known by a name with arguments, a reply by the id of its call, or
either by what its part is called. Sources: the interfaces of OpenAI, Anthropic, Google, Cohere and Bedrock;
AutoGen, Haystack, LlamaIndex, Pydantic AI, Semantic Kernel and the AI SDK.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from wardboard.scoring.reading.formats.attempts import Steps
from wardboard.scoring.reading.formats.values import decoded, first_text, value_at

MOST_PARTS = 20_000  # of a message, far above what any has
CONTENTS = ("content", "parts", "blocks", "items", "text", "message")
# Keys in any spelling, without the words before them.
_WORDS = re.compile("^(?:tool|function|block|content|part)(?=[_A-Z])|[_-]")
_TEXTS = ("text", "outputtext", "inputtext", "userprompt", "systemprompt")
_NAMES, _CALLS = ("name", "tool", "function"), ("calls", "call", "invocations", "uses", "requests", "actions")
_ARGUMENTS = ("arguments", "args", "input", "kwargs", "parameters", "action")
_EXTRA = "additional_kwargs"
_OF_CALL = {"callid", "useid"}
_BESIDE = ("output", "result", "errortext", "error")
_RESULTS = (*CONTENTS, "response", *_BESIDE)
_CALL = re.compile("(?:call|use|invocation)$")
_REPLY = re.compile("(?:^|tool|call)(?:result|response|return|output)$|^observation$")
_ABOUT = ("role", "id", "type", "name", "model", "usage", "tools", "functions")
# Parts that are none of these, and no calls.
_SILENT = re.compile(
    "reason|think|thought|summary|analysis|commentary|compact|refus|redact|cache|citation|guard|approval|"
    "image|audio|video|file|media|document|blob|uri|inline|search|reference|list|interpreter|^source|^step|^data"
)


class Part(NamedTuple):
    """A part of a message.

    value: a text, of any type where it is malformed; a call; what a tool returned; or the name of what is not
    known, and may be a call
    """

    kind: Literal["text", "call", "reply", "unread"]
    value: Any
    call_id: str = ""


def content_of(message: Any) -> tuple[str, Any]:
    """Return the key of the content of a message, and that: the first that is a list, or else the first."""
    found = [(key, value) for key in CONTENTS if (value := value_at(message, key)) is not None]
    return max(found, key=lambda each: bool(each[1]) and isinstance(each[1], list), default=("content", None))


def parts_in(message: Mapping[str, Any]) -> Iterator[tuple[Steps, Part]]:
    """Yield the parts of a message, with their places in it: first the calls that are beside its content."""
    calls = [*_calls_beside(message)] or [*_calls_beside(message.get(_EXTRA), _EXTRA)]
    for step, call in calls:
        yield step, Part("call", call)
        yield from ((step, reply) for reply in _replies_beside(call))
    key, content = content_of(message)
    for other, value in message.items() if not calls else ():
        is_all = value and not (message.keys() & {*CONTENTS} or _SILENT.search(_spelled(other)))
        has_call = (call_of(value_at(value, 0)) or {}).get("arguments") is not None
        if (is_all or has_call) and other not in (*CONTENTS, *_ABOUT):
            yield (other,), Part("unread", other)
    parts = content if isinstance(content, list) else [content]
    for number, part in enumerate(parts[:MOST_PARTS]):
        yield from (((key, number), each) for each in parts_of(part))
    if len(parts) > MOST_PARTS:
        yield (key,), Part("unread", key)


def _calls_beside(message: Any, *at: str) -> Iterator[tuple[Steps, Any]]:
    for key, stated in message.items() if isinstance(message, dict) else ():
        value = (
            None if _spelled(key) not in _CALLS else decoded(stated) if isinstance(stated, str) else stated
        )
        if isinstance(value, list):
            yield from (((*at, key, number), call) for number, call in enumerate(value))
        elif isinstance(value, dict):
            yield (*at, key), value


def parts_of(part: Any) -> Iterator[Part]:
    """Yield what a part of a content is; a call may have its reply beside it."""
    if not isinstance(part, dict):
        yield from [Part("text", part)] if part is not None else ()
        return
    fields = _fields(part)
    kind = first_text(fields.get("type"), fields.get("kind"), fields.get("role"))
    within = [each for each in part.items() if isinstance(each[1], dict)] if fields else []
    is_text = _spelled(kind) in _TEXTS
    for name, holder in () if is_text else ((kind, part), *within):
        is_call, is_reply = _kinds(name)
        call = call_of(holder) if is_call or (holder is part and not is_reply) else None
        if call and (is_call or call["arguments"] is not None):
            yield from (Part("call", call), *_replies_beside(holder))
            return
        if is_reply or (holder is part and fields.keys() & _OF_CALL and fields.keys() & {*_RESULTS}):
            yield reply_of(holder)
            return
    if is_text or (not kind and part.keys() & {"text", "content"}):
        # Google marks reasoning so.
        text = part.get("text", part.get("content"))
        yield from [Part("text", text)] if part.get("thought") is not True else ()
    elif not _SILENT.search(_spelled(name := kind or next(iter([*dict(within), *part]), "list"))):
        yield Part("unread", name)


def call_of(value: Any) -> dict[str, Any] | None:
    """Return a call with its `id`, `name` and `arguments`, in whatever form it is; None for another value."""
    outer = _fields(value)
    for holder in filter(None, (outer.get("function"), outer.get("custom"), value)):
        fields, kind = outer if holder is value else _fields(holder), first_text(outer.get("type"))
        # Some name the tool in the type alone.
        in_type = kind.removeprefix("tool-").removesuffix("_call") if fields.keys() & _OF_CALL else ""
        if name := first_text(*(fields.get(key) for key in _NAMES), in_type):
            arguments = next((fields[key] for key in _ARGUMENTS if key in fields), None)
            arguments = {"input": arguments} if kind.startswith("custom") else arguments
            return {"id": _id(outer), "name": name, "arguments": arguments}
    return None


def _replies_beside(call: Any) -> list[Part]:
    return [reply_of(call, _BESIDE)] if any(_fields(call).get(key) for key in _BESIDE) else []


def reply_of(holder: Any, keys: tuple[str, ...] = _RESULTS) -> Part:
    """Return what a part, or a message of a tool, says that a call returned, and whether that failed."""
    fields = _fields(holder)
    result = next((fields[key] for key in keys if fields.get(key) is not None), None)
    states: list[Any] = [fields.get("status"), fields.get("state")]
    is_error = fields.get("iserror") is True or bool(fields.get("error") or fields.get("errortext"))
    if isinstance(result, dict) and isinstance(kind := result.get("type"), str) and "value" in result:
        states, result = [*states, kind], result["value"]
    if isinstance(result, list):
        result = result[:MOST_PARTS]
        held = [value for part in result for key in ("json", "document") if (value := value_at(part, key))]
        texts = [each.value for part in result for each in parts_of(part) if each.kind == "text"]
        result = "\n".join(text for text in texts if isinstance(text, str)) or next(iter(held), "")
    result = result if isinstance(result, str | dict) else ""
    is_error = is_error or any("error" in state for state in states if isinstance(state, str))
    # Some repeat the call in its reply.
    places = (fields, _fields(fields.get("origin")), _fields(fields.get("additionalkwargs")))
    call_id = first_text(*map(_id, places)) or by_name(fields.get("name"))
    return Part("reply", {"is_error": True, "content": result} if is_error else result, call_id)


def by_name(name: Any) -> str:
    """Return what stands for the id of a call without one: the oldest form of calls had none."""
    return f"by name: {name}" if isinstance(name, str) else ""


def _id(fields: Mapping[str, Any]) -> str:
    return first_text(*map(fields.get, (*sorted(_OF_CALL), "id")))


def _fields(value: Any) -> dict[str, Any]:
    return {_spelled(key): item for key, item in value.items()} if isinstance(value, dict) else {}


@lru_cache(maxsize=1024)
def _kinds(name: str) -> tuple[bool, bool]:
    """Return whether a part of this name is a call, and whether it is a reply."""
    return bool(_CALL.search(_spelled(name))), bool(_REPLY.search(_spelled(name)))


@lru_cache(maxsize=1024)
def _spelled(name: str) -> str:
    return _WORDS.sub("", name).lower()
