"""The messages of a conversation as OpenAI's interfaces write them, and harnesses after them.

A reply belongs to the call with its id, never to the one before it. Source: the API reference of OpenAI,
Chat Completions.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec.structs import replace

from wardboard.scoring.reading.formats.attempts import Attempt, Call, Message, Steps
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.parts import (
    MOST_PARTS,
    by_name,
    call_of,
    content_of,
    parts_in,
    parts_of,
    reply_of,
)
from wardboard.scoring.reading.formats.values import decoded, first_line, value_at

Role = Literal["system", "user", "agent"]
ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "agent",
    "model": "agent",
}
REPLIES = ("tool", "function")
_NOT_JSON = object()

# The place of a message, below that of its attempt, and the message, of any type.
Placed = tuple[Steps, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The messages of an attempt.

    has_cut_call: whether calls whose arguments were cut off are left out. unread: as that of an attempt
    """

    messages: tuple[Message, ...]
    has_cut_call: bool = False
    unread: tuple[Steps, str] | None = None

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
        return Attempt(messages=self.messages, unread=self.unread, **fields)


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
    unanswered: OrderedDict[str, deque[_RecordedCall]] = field(default_factory=OrderedDict)

    def call(self, recorded: Any, place: Steps) -> _RecordedCall | None:
        """Return a call as a message has it; None for one that is no call, or the rest of an earlier one."""
        recorded = decoded(recorded, _NOT_JSON) if isinstance(recorded, str) else recorded
        if recorded is _NOT_JSON:
            return _RecordedCall(Call(name="", place=place), is_cut=True)
        if (made := call_of(recorded)) is None:
            return None
        call_id, name, arguments = made.values()
        is_text = isinstance(arguments, str) and arguments.strip()
        is_cut = bool(is_text) and decoded(arguments, _NOT_JSON) is _NOT_JSON
        waiting = self.unanswered.setdefault(call_id or by_name(name), deque())
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
    unread: tuple[Steps, str] | None = None
    for place, message in messages:
        if not isinstance(message, dict):
            continue
        known, is_reply = role_of(message), message.get("role") in REPLIES
        # A call may be an item of its own, and a text without a role is no message.
        parts = (
            [*parts_in(message)]
            if known or is_reply
            else [((), each) for each in parts_of(message) if each.kind != "text"]
        )
        if is_reply:
            parts = [each for each in parts if each[1].kind == "reply"] or [((), reply_of(message))]
        own: list[tuple[list[str], list[_RecordedCall]]] = [([], [])]
        for step, part in parts:
            texts, calls = own[-1]
            if part.kind == "reply":
                reader.reply(part.call_id, part.value, place)
                # What an agent says after a reply is another turn.
                own += [([], [])] if known == "agent" and (texts or calls) else []
            elif part.kind == "call" and known not in ("user", "system"):
                call = reader.call(part.value, (*place, *step))
                calls += [call] if call else []
            elif part.kind == "text" and isinstance(part.value, str):
                texts.append(part.value)
            elif part.kind == "unread" and known not in ("user", "system"):
                unread = unread or ((*place, *step), part.value)
        field = content_of(message)[0]
        with_calls += (
            (Message(role=known or "agent", text="\n".join(texts), place=place, text_field=field), calls)
            for number, (texts, calls) in enumerate(own)
            if texts or calls or (known and not number)
        )
    return Conversation(
        messages=tuple(
            replace(message, calls=tuple(each.call for each in calls if not each.is_cut))
            for message, calls in with_calls
        ),
        has_cut_call=any(call.is_cut for _, calls in with_calls for call in calls),
        unread=unread,
    )


def role_of(message: Any) -> Role | None:
    """Return whose message it is; None for a reply to a call, or what is no message."""
    role = value_at(message, "role")
    return ROLES.get(role) if isinstance(role, str) else None


def text_of(content: Any) -> str:
    """Return the text of a content: text, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    return "\n".join(text for text in texts_in(content) if isinstance(text, str))


def texts_in(content: Any) -> Iterator[Any]:
    """Yield the texts of the parts of a content, of any type where it is malformed."""
    for part in content[:MOST_PARTS] if isinstance(content, list) else ():
        yield from (each.value for each in parts_of(part) if each.kind == "text")
