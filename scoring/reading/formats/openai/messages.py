"""The messages of a conversation as OpenAI's interfaces write them, and harnesses after them.

A reply belongs to the call with its id, never to the one before it. Source: the API reference of OpenAI,
Chat Completions.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec.structs import replace

from wardboard.scoring.reading.formats.attempts import Attempt, Call, Message, Steps
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.values import decoded, first_line, first_text, value_at

Role = Literal["system", "user", "agent"]
ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "agent",
}
REPLIES = ("tool", "function")
_TEXTS = (None, "text", "output_text", "input_text")

# Where a part that is a reply to a call has what the tool returned.
_RESULTS = ("content", "response", "result")
_NOT_JSON = object()

# The place of a message, below that of its attempt, and the message, of any type.
Placed = tuple[Steps, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The messages of an attempt. has_cut_call: whether calls whose arguments were cut off are left out."""

    messages: tuple[Message, ...]
    has_cut_call: bool = False

    @property
    def rounds(self) -> int:
        return sum(message.role == "agent" for message in self.messages)

    def limit(self, reason: Any) -> str:
        """Return the reason why it stopped at a limit if it has no text of the agent; "" if it has one."""
        has_text = any(message.role == "agent" and message.text for message in self.messages)
        return "" if has_text else first_line(reason)

    def attempt(self, **fields: Any) -> Attempt:
        """Return the attempt with these messages, and `fields` of its own."""
        last = next((each for each in reversed(self.messages) if each.role == "agent" and each.text), None)
        fields.setdefault("answer_place", last.text_place if last else ())
        if self.has_cut_call:
            fields["notes"] = (*fields.get("notes", ()), FormatCode.TRUNCATED)
        return Attempt(messages=self.messages, **fields)


@dataclass(slots=True)
class _RecordedCall:
    """A call whose reply may follow. is_cut: whether its arguments were cut off, so that it was not made."""

    call: Call
    is_cut: bool


@dataclass(slots=True)
class _Reader:
    """Puts replies to calls.

    has_copies: whether a call may be written in parts, or again in a copy of its message.
    unanswered: id -> the calls with that id, which some models use again.
    """

    has_copies: bool
    unanswered: dict[str, deque[_RecordedCall]] = field(default_factory=dict)

    def call(self, recorded: Any, place: Steps) -> _RecordedCall | None:
        """Return a call as a message has it; None for one that is no call, or the rest of an earlier one."""
        recorded = decoded(recorded, _NOT_JSON) if isinstance(recorded, str) else recorded
        if recorded is _NOT_JSON:
            return _RecordedCall(Call(name="", place=place), is_cut=True)
        within = next(filter(None, (value_at(recorded, key) for key in ("function", "custom"))), recorded)
        name = value_at(within, "name")
        if not isinstance(name, str):
            return None
        arguments = within.get("arguments", within.get("input"))
        is_cut = False
        if value_at(recorded, "type") == "custom":
            arguments = {"input": arguments}
        elif isinstance(arguments, str) and arguments.strip():
            is_cut = decoded(arguments, _NOT_JSON) is _NOT_JSON
        call_id = first_text(value_at(recorded, "id"), value_at(recorded, "call_id"))
        waiting = self.unanswered.setdefault(call_id or _by_name(name), deque())
        # A stream writes a call in parts, and a copy of a message writes it again, each with its id.
        earlier = waiting[-1] if self.has_copies and call_id and waiting else None
        if earlier and earlier.call.name == name and (earlier.is_cut or earlier.call.arguments == arguments):
            earlier.call, earlier.is_cut = replace(earlier.call, arguments=arguments), is_cut
            return None
        call = _RecordedCall(Call(name=name, arguments=arguments, place=place), is_cut)
        waiting.append(call)
        return call

    def reply(self, call_id: str, result: Any, place: Steps) -> None:
        """Put a reply to the first call with its id that has none; without an id, to the only such call."""
        if not call_id and len(self.unanswered) == 1:
            (call_id,) = self.unanswered
            call_id = call_id if len(self.unanswered[call_id]) == 1 else ""
        waiting = self.unanswered.get(call_id)
        if not waiting:
            return
        answered = waiting.popleft()
        answered.call = replace(answered.call, result=result, reply_place=place)
        if not waiting:
            del self.unanswered[call_id]


def read_messages(messages: Iterable[Placed], *, has_copies: bool = True) -> Conversation:
    """Return the conversation of `messages`; what is no message is left out.

    has_copies: whether two equal calls before a reply are one, as in streams and in logs of requests.
    """
    reader = _Reader(has_copies)
    with_calls: list[tuple[Message, list[_RecordedCall]]] = []
    for place, message in messages:
        role, content = value_at(message, "role"), value_at(message, "content")
        replies = [*replies_in(content)]
        for part in replies:
            if isinstance(part_id := part.get("tool_use_id", part.get("id")), str):
                reply = next((part[key] for key in _RESULTS if key in part), None)
                reader.reply(part_id, _result(reply, is_error=part.get("is_error") is True), place)
        if role in REPLIES and not replies:
            ids = (value_at(message, key) for key in ("tool_call_id", "call_id", "id"))
            call_id = first_text(*ids)
            if role == "function" and not call_id:
                call_id = _by_name(value_at(message, "name"))
            result = _result(content, is_error=value_at(message, "is_error") is True)
            reader.reply(call_id, result, place)
            continue
        if (known := ROLES.get(role) if isinstance(role, str) else None) is None:
            continue
        recorded = calls_in(message, content) if known == "agent" else ()
        calls = [call for step, each in recorded if (call := reader.call(each, (*place, *step)))]
        with_calls.append((Message(role=known, text=text_of(content), place=place), calls))
    return Conversation(
        messages=tuple(
            replace(message, calls=tuple(each.call for each in calls if not each.is_cut))
            for message, calls in with_calls
        ),
        has_cut_call=any(call.is_cut for _, calls in with_calls for call in calls),
    )


def text_of(content: Any) -> str:
    """Return the text of a content: text, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    return "\n".join(text for text in texts_in(content) if isinstance(text, str))


def texts_in(content: Any) -> Iterator[Any]:
    """Yield the texts of the parts of a content, of any type where it is malformed."""
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            yield part
        elif part.get("type") in _TEXTS:
            yield part.get("text", part.get("content"))


def calls_in(message: Mapping[str, Any], content: Any) -> Iterator[tuple[Steps, Any]]:
    """Yield the calls of a message, each with its place in it."""
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        yield ("tool_calls", number), call
    if isinstance(call := message.get("function_call"), dict):
        yield ("function_call",), call
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if value_at(part, "type") in ("tool_use", "tool_call"):
            yield ("content", number), part


def replies_in(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a content that are replies to calls."""
    for part in content if isinstance(content, list) else ():
        if value_at(part, "type") in ("tool_result", "tool_call_response"):
            yield part


def _result(content: Any, *, is_error: bool) -> Any:
    result = content if isinstance(content, dict) else text_of(content)
    return {"is_error": True, "content": result} if is_error else result


def _by_name(name: Any) -> str:
    """Return what stands for the id of a call without one: the oldest form of calls had none."""
    return f"by name: {name}" if isinstance(name, str) else ""
