"""Read the replies of a language model."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.reading.formats.values import decoded, value_at

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_NAME = re.compile(r"[!-~]{1,60}")
# Models often put the object into a code block of Markdown.
_FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Hold a reply.

    label: True for 1, False for 0, None if the reply is unusable.
    served: the model that the provider names, with its fingerprint; "" where it names none.
    """

    label: bool | None
    prompt_tokens: int
    completion_tokens: int
    served: str = ""


def read_reply(body: bytes, label_of: Callable[[Any], bool | None] | None = None) -> Reply:
    """Read the body of a chat completion, however malformed it is.

    label_of: reads the label from the completion, a dictionary; by default by the structure asked for.
    """
    value = decoded(body)
    reply = value if isinstance(value, dict) else {}
    names = (reply.get(name) for name in ("model", "system_fingerprint"))
    return Reply(
        label=(label_of or message_label)(reply),
        prompt_tokens=_count(value_at(reply, "usage", "prompt_tokens")),
        completion_tokens=_count(value_at(reply, "usage", "completion_tokens")),
        served=" ".join(name for name in names if isinstance(name, str) and _NAME.fullmatch(name)),
    )


def message_label(reply: dict[str, Any], read: Callable[[str], bool | None] | None = None) -> bool | None:
    """Return what `read` makes of the text of a completion, by default `read_label`; None for no text."""
    match reply:
        case {"choices": [{"message": {"content": str(text)} as message} as choice, *_]}:
            # Cut off ("length") or withheld: a 0 or 1 in it may not be final.
            if message.get("refusal") or choice.get("finish_reason") in ("length", "content_filter"):
                return None
            return (read or read_label)(text)
    return None


def without_thoughts(text: str) -> str:
    return _THOUGHTS.sub("", text).strip()


def read_label(text: str) -> bool | None:
    """Return the verdict in a reply that is the JSON object asked for, or a bare 0 or 1; else None.

    A 0 or 1 in prose may count something else: "1 - the agent says that there are 0 records".
    """
    value = decoded(_FENCE.sub(r"\1", without_thoughts(text)))
    if isinstance(value, dict):
        value = value.get("correct")
    # Compared as text: 1, "1", 1.0 and true are the same verdict; 2 and null are none.
    return {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}.get(
        str(value).strip().lower()
    )


def _count(value: Any) -> int:
    return max(int(value), 0) if isinstance(value, int | float) and 0 <= value < 2**31 else 0
