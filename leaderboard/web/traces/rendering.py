"""What a page of a trace shows of each message: texts as they are, long ones folded, requests marked.

Nothing in a trace is trusted: it is shown as text, and no address in it is a link.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from wardboard.scoring.traces.conversation import TracedCall, TracedMessage, parsed_json
from wardboard.scoring.traces.findings import FindingKind
from wardboard.scoring.traces.requests import method_of_call, method_of_text

ROLES = {
    "system": gettext_noop("System"),
    "user": gettext_noop("Harness"),
    "agent": gettext_noop("Agent"),
}
KINDS = {
    FindingKind.KEY: gettext_noop("Key, token or password"),
    FindingKind.EMAIL: gettext_noop("Email address"),
    FindingKind.PATH: gettext_noop("Path with a user name"),
    FindingKind.HOST: gettext_noop("Host name"),
}
_FOLDED_FROM, _FOLDED_LINES = 1200, 24  # characters, or lines, from which a text is folded
_TURNS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # marks that turn the direction of a line
_HEAD = 160  # characters of a folded text that stay in sight
_LINE = 300  # characters of a call in the list of calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A text of a page. id: of its element. head: its beginning where it is folded, else "".

    cut: characters at its end that are not stored
    """

    id: str
    text: str
    head: str
    cut: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShown:
    """A call of a tool. method: of its HTTP request, "" if it has none that is known."""

    name: str
    method: str
    arguments: Block | None
    result: Block | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageShown:
    """A message. number: from 1. role: in English. method: of the request that its text is, else ""."""

    number: int
    role: str
    is_agent: bool
    method: str
    text: Block | None
    calls: Sequence[CallShown]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLine:
    """A request or a call of a tool in one line. method: of its HTTP request, "" if unknown"""

    method: str
    text: str


def call_lines(messages: Sequence[TracedMessage]) -> list[CallLine]:
    """Return the requests and calls of an agent in their order, without replies and contents."""
    lines = []
    for message in messages:
        if message.role == "agent" and (method := method_of_text(message.text)):
            request = message.text.partition(method)[2].strip().partition("\n")[0]
            lines.append(CallLine(method=method, text=_one_line(request)))
        for call in message.calls:
            arguments = "" if call.arguments is None else json.dumps(call.arguments, ensure_ascii=False)
            line = _one_line(f"{call.name} {arguments}")
            lines.append(CallLine(method=method_of_call(call), text=line))
    return lines


def _one_line(text: str) -> str:
    """Return a text in one line, the beginning of a long one."""
    line = " ".join(_without_turns(text[: 2 * _LINE]).split())
    return line if len(line) <= _LINE else f"{line[:_LINE]}…"


def shown(messages: Sequence[TracedMessage]) -> list[MessageShown]:
    """Return messages as a page shows them."""
    return [
        MessageShown(
            number=number,
            role=ROLES[message.role],
            is_agent=message.role == "agent",
            method=method_of_text(message.text) if message.role == "agent" else "",
            text=block_of(f"m{number}", message.text, cut=message.cut) if message.text else None,
            calls=[_call(f"m{number}-call{place}", call) for place, call in enumerate(message.calls, 1)],
        )
        for number, message in enumerate(messages, 1)
    ]


def _call(place: str, call: TracedCall) -> CallShown:
    return CallShown(
        name=call.name,
        method=method_of_call(call),
        arguments=block_of(f"{place}-arguments", call.arguments) if call.arguments else None,
        result=block_of(f"{place}-result", call.result, cut=call.cut) if call.result is not None else None,
    )


def _expanded(value: Any) -> Any:
    """Return JSON in which texts that hold an object or a list themselves are JSON too, as people read it."""
    if isinstance(value, Mapping):
        return {name: _expanded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_expanded(item) for item in value]
    return parsed_json(value)


def _without_turns(text: str) -> str:
    return _TURNS.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def block_of(block_id: str, value: Any, *, cut: int = 0) -> Block:
    """Return a text or JSON value as a page shows it."""
    text = value if isinstance(value, str) else json.dumps(_expanded(value), ensure_ascii=False, indent=2)
    text = _without_turns(text)
    is_long = len(text) > _FOLDED_FROM or text.count("\n") > _FOLDED_LINES
    head = " ".join(text[: 2 * _HEAD].split())[:_HEAD] if is_long else ""
    return Block(id=block_id, text=text, head=head, cut=cut)
