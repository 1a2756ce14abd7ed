"""The conversation of a trace, as it is stored, and the messages of other forms as such a conversation."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from wardboard.scoring.reading.formats.attempts import Attempt
from wardboard.scoring.reading.formats.openai import messages as chat
from wardboard.scoring.reading.formats.openai.parts import call_of, parts_in
from wardboard.scoring.reading.formats.values import decoded
from wardboard.scoring.reading.limits import KIB, MIB, Limits
from wardboard.scoring.reading.nesting import is_too_complex


class TracedCall(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A call of a tool. result: as the file has it, None without a reply.

    cut: characters left out of arguments and result
    """

    name: str
    arguments: Any = None
    result: Any = None
    cut: int = 0


class TracedMessage(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A message; replies to its calls are in these. cut: characters left out of the text."""

    role: chat.Role
    text: str = ""
    calls: list[TracedCall] = []
    cut: int = 0


# Any other role is one of the agent. Source: the messages of LangChain, and the tool roles of MCP histories.
_ROLES: Mapping[str, chat.Role] = {**chat.ROLES, "human": "user"}
_REPLIES = (*chat.REPLIES, "tool_result")
_BEGIN, _END = "<think>", "</think>"
# Characters of a text, of the arguments of a call or of its result; and of all of a trace. A log may refer to
# one long text from many messages.
_MOST_TEXT, _MOST_TEXTS = 128 * KIB, 16 * MIB
# Of JSON within a text, which is left as text beyond them.
_LIMITS = Limits(depth=100)


def messages_of_attempt(attempt: Attempt) -> list[TracedMessage]:
    """Return the conversation of an attempt of a log, or the history that the log states in its place."""
    return messages_of([msgspec.to_builtins(message) for message in attempt.messages] or attempt.history)


def messages_of(trace: Any) -> list[TracedMessage]:
    """Return a conversation of any form: a list of messages, an object that has one, JSON of these, or text.

    What is none of these is one text of the agent. Reasoning, and fields that no message needs, are dropped;
    long texts are cut.
    """
    if isinstance(trace, str):
        trace = parsed_json(trace)
    if isinstance(trace, Mapping) and isinstance(trace.get("messages"), list | tuple):
        trace = trace["messages"]
    if trace in (None, "", [], {}, ()):
        return []
    conversation = _Conversation()
    for item in trace if isinstance(trace, list | tuple) else [trace]:
        conversation.add(item)
    return conversation.messages


class _Conversation:
    """The messages so far, with the calls that have no reply yet, by their ids."""

    def __init__(self) -> None:
        self.messages: list[TracedMessage] = []
        # Its first is found at once, that of a `dict` behind all that were taken out before it.
        self._waiting = OrderedDict[str, TracedCall]()
        self._left = _MOST_TEXTS

    def add(self, item: Any) -> None:
        if not isinstance(item, Mapping):
            self._add_text("agent", [_as_text(item)])
            return
        stated = item.get("role", item.get("type"))
        content = item.get("content", item.get("text"))
        if stated in _REPLIES:
            self._reply(item.get("tool_call_id"), content or item.get("error"))
            return
        made = None
        if stated == "tool_call":
            made, content = parsed_json(content), None
        parts = [part for _, part in parts_in({**item, "content": content, "calls": None})]
        # Those of an attempt, which is read from a log or was written by `wardboard convert`.
        own = item.get("calls")
        calls = [
            *(call_of(part.value) for part in parts if part.kind == "call"),
            *(own if isinstance(own, list | tuple) else ()),
            made,
        ]
        role = _ROLES.get(stated, "agent") if isinstance(stated, str) else "agent"
        self._add_text(role, [_as_text(part.value) for part in parts if part.kind == "text"], calls)
        for part in parts:
            if part.kind == "reply":
                self._reply(part.call_id, part.value)

    def _add_text(self, role: chat.Role, texts: Iterable[str], calls: Iterable[Any] = ()) -> None:
        text, cut = self._joined(texts)
        message = TracedMessage(
            role=role, text=_without_reasoning(text) if role == "agent" else text, cut=cut
        )
        for call in calls:
            self._call(message, call)
        if message.text or message.calls:
            self.messages.append(message)

    def _call(self, message: TracedMessage, value: Any) -> None:
        """Add a call in any of its forms. Its arguments may be JSON in a text."""
        if not (made := call_of(value)):
            return
        name, _ = self._joined([made["name"]])
        arguments, cut = self._value(parsed_json(made["arguments"]))
        result, cut_result = self._value(value.get("result"))
        call = TracedCall(name=name, arguments=arguments, result=result, cut=cut + cut_result)
        message.calls.append(call)
        if result is None:
            self._waiting[made["id"] or f"call {len(self._waiting)}"] = call

    def _reply(self, call_id: Any, content: Any) -> None:
        """Add a reply to its call: that of the id, else the first without a reply; else it is a message."""
        # Parts of other kinds, such as reasoning, have no text.
        texts = list(map(_as_text, chat.texts_in(content)))
        if texts and all(texts) and len(texts) == len(content):
            result, cut = self._joined(texts)
        else:
            result, cut = self._value(content)
        stated = _as_text(call_id)
        known = stated if stated in self._waiting else next(iter(self._waiting), None)
        if known is None:
            self.messages.append(TracedMessage(role="user", text=_as_text(result), cut=cut))
        else:
            call = self._waiting.pop(known)
            call.result, call.cut = "" if result is None else result, call.cut + cut

    def _value(self, value: Any) -> tuple[Any, int]:
        """Return arguments or a result as JSON; a long one as text that is cut, and by how much."""
        text, cut = self._joined([_as_text(value)])
        return (text, cut) if cut else (value, 0)

    def _joined(self, texts: Iterable[str]) -> tuple[str, int]:
        """Return texts as one that fits, and how many characters are left out."""
        kept, room, cut = [], min(_MOST_TEXT, self._left), 0
        for text in filter(None, texts):
            kept.append(text[:room])
            cut += len(text) - len(kept[-1])
            room -= len(kept[-1])
            self._left -= len(kept[-1])
        return "\n".join(filter(None, kept)), cut


def _without_reasoning(text: str) -> str:
    """Return a text of an agent without what is between the tags of reasoning."""
    head, tag, rest = text.partition(_BEGIN)
    if not tag:
        return text.rpartition(_END)[2]
    return head + (rest.rpartition(_END)[2] if _END in rest else "")


def parsed_json(value: Any) -> Any:
    """Return the object or list whose JSON a text is; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    return value if is_too_complex(value, _LIMITS) else decoded(value, value)


def _as_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)
