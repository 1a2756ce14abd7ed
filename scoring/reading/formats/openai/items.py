"""The items of the Responses interface of OpenAI, as messages of a chat.

Source: the API reference of OpenAI, Responses. Replies to calls are items of the next request, so that a
writer of responses alone has lost them.
"""

import re
from collections.abc import Iterator
from typing import Any

from wardboard.scoring.reading.formats.attempts import Steps
from wardboard.scoring.reading.formats.openai.messages import Placed, text_of
from wardboard.scoring.reading.formats.values import first_text, value_at

_ITEM = re.compile(
    "message|reasoning|mcp_list_tools|(?:function|custom_tool|local_shell|shell|mcp|web_search)_call(?:_output)?"
)


def is_of_items(value: Any) -> bool:
    """Return whether `value` has a list of items as its output."""
    output = value_at(value, "output")
    if not isinstance(output, list):
        return False
    kind = first_text(value_at(output, 0, "type"))
    return value_at(value, "object") == "response" or _ITEM.fullmatch(kind) is not None


def messages_of_items(record: Any, response: Steps) -> Iterator[Placed]:
    """Yield the items of a record as messages, those of the request first. response: the path to that in it.

    A text in several parts is one.
    """
    for place in (("request", "input"), ("request", "body", "input"), ("input",), (*response, "output")):
        items = value_at(record, *place)
        if isinstance(items, str):
            yield place, {"role": "user", "content": items}
        for number, item in enumerate(items if isinstance(items, list) else ()):
            texts = {
                key: "".join(map(text_of, ([part] for part in parts)))
                for key in ("content", "output")
                if isinstance(parts := value_at(item, key), list)
            }
            yield (*place, number), {**item, **texts} if isinstance(item, dict) else item
