"""The items of the Responses interface of OpenAI, as messages of a chat.

Source: the API reference of OpenAI, Responses. Replies to calls are items of the next request, so that a
writer of responses alone has lost them.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from wardboard.scoring.reading.formats.attempts import Steps
from wardboard.scoring.reading.formats.openai.messages import Placed, text_of
from wardboard.scoring.reading.formats.values import value_at

_ITEMS = (
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_call",
    "mcp_list_tools",
)


def is_of_items(value: Any) -> bool:
    """Return whether `value` has a list of items as its output."""
    output = value_at(value, "output")
    if not isinstance(output, list):
        return False
    return value_at(value, "object") == "response" or value_at(output, 0, "type") in _ITEMS


def items_of(record: Any, response: Steps) -> Iterator[Placed]:
    """Yield the items of a record, those of the request first. response: the path to that within it."""
    for place in (("request", "input"), ("request", "body", "input"), ("input",), (*response, "output")):
        items = value_at(record, *place)
        if isinstance(items, str):
            yield place, {"role": "user", "content": items}
        elif isinstance(items, list):
            yield from (((*place, number), item) for number, item in enumerate(items))


def messages_of_items(items: Iterable[Placed]) -> Iterator[Placed]:
    """Yield the messages of a chat that say the same as `items`; reasoning is none."""
    for place, item in items:
        match kind := value_at(item, "type"):
            case "message" | None:
                if isinstance(item, dict):
                    yield place, {"role": item.get("role"), "content": _text(item.get("content"))}
            case "function_call" | "custom_tool_call" | "local_shell_call" | "mcp_call":
                yield place, _message_of_call(kind, item)
                if kind == "mcp_call":
                    # The server of the model ran it, so that its reply is in the item.
                    yield from _reply_of_mcp(place, item)
            case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
                call_id = item.get("call_id") or item.get("id")
                yield place, {"role": "tool", "tool_call_id": call_id, "content": _text(item.get("output"))}


def _message_of_call(kind: str, item: dict[str, Any]) -> dict[str, Any]:
    call = {
        "id": item.get("call_id") or item.get("id"),
        "name": item.get("name"),
        "arguments": item.get("arguments"),
    }
    if kind == "custom_tool_call":
        call |= {"type": "custom", "arguments": item.get("input")}
    elif kind == "local_shell_call":
        call |= {"name": "local_shell", "arguments": item.get("action")}
    return {"role": "assistant", "tool_calls": [call]}


def _reply_of_mcp(place: Steps, item: dict[str, Any]) -> Iterator[Placed]:
    output, error = item.get("output"), item.get("error")
    content = output if error is None else error
    if content is not None:
        content = content if isinstance(content, str | list | dict) else ""
        reply = {"role": "tool", "tool_call_id": item.get("id"), "content": content}
        yield place, {**reply, "is_error": error is not None}


def _text(content: Any) -> Any:
    """Return a content with the parts of its text as one; an answer may be in several."""
    parts = content if isinstance(content, list) else None
    return content if parts is None else "".join(text_of([part]) for part in parts)
