"""Convert a conversation with tools into the history that the official graders read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED_FHIR_BASE
from wardboard.scoring.medagentbench.reading.tool_calls.calls import Kind, Sign, base_of, decide
from wardboard.scoring.medagentbench.reading.tool_calls.refused import Post
from wardboard.scoring.medagentbench.reading.tool_calls.texts import value_of
from wardboard.scoring.reading.collector import Findings, Steps
from wardboard.scoring.reading.formats.attempts import Call, Message
from wardboard.scoring.reading.formats.systems import listed
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n
from wardboard.scoring.reading.problems import quote

_CALL, _REPLY = "tool_call", "tool_result"


# What a rule completes, with one warning a file. Signs of single calls that a person has to look at are
# not here: the history reports each.
_SAYS: Mapping[Sign, Phrase] = {
    Sign.JOINED: phrase("a relative address is joined to that of the server"),
    Sign.ENCODED_TWICE: phrase("a body that was encoded twice is decoded"),
    Sign.FROM_RESULT: phrase("the body is the one that the tool sent, not the agent’s"),
    Sign.PHRASE_REMOVED: phrase("a reply accepts a POST with a status that does not, so it does not count"),
    Sign.SEARCH: phrase("a search counts as a POST all the same"),
    Sign.OPERATION: phrase("an operation counts as a POST all the same"),
    Sign.BUNDLE: phrase("a Bundle counts as one POST"),
    Sign.LIKE_A_POST: phrase("a tool replied as to a POST, but nothing says that it sent one, so it is none"),
    Sign.NOT_SENT: phrase("a tool refused a POST before it sent it, so it is none"),
}


class ToolHistory:
    """The POSTs that calls of tools stand for, in order, each with its reply; what is ambiguous is reported.

    - places: of the contents of the items, from that of `findings`; None for one that is reported already
    """

    def __init__(self, messages: Iterable[Message], findings: Findings) -> None:
        """Walk through the messages of a conversation, at whose place `findings` are."""
        self.items: list[dict[str, str]] = []
        self.places: list[Steps | None] = []
        self.signs: set[Sign] = set()
        self.posts: list[Post] = []
        self._findings = findings
        self._base = PUBLISHED_FHIR_BASE
        self._unanswered: Steps | None = None
        prose: list[Steps] = []
        for message in messages:
            findings.check_time()
            if message.role != "agent":
                continue
            if "POST" in message.text:
                prose.append(message.text_place)
            for call in message.calls:
                self._add(call)
        if prose:
            # The official graders would take these texts for POSTs.
            left_out = phrase_n(
                "{n:,} message of the agent contains POST, and is left out",
                "{n:,} messages of the agent contain POST, and are left out",
                len(prose),
            )
            findings.warning(Code.TEXT_NAMES_POST, prose[0], left_out)

    def _add(self, call: Call) -> None:
        # A relative address is one of the server that the agent addresses in full elsewhere.
        self._base = base_of(call.arguments) or self._base
        decision = decide(call.name, call.arguments, call.result, PUBLISHED_FHIR_BASE, used=self._base)
        warn, tool, called = self._findings.warning, quote(call.name), call.place
        if decision.history and self._unanswered is not None:
            warn(Code.POST_UNCLEAR_REPLY, self._unanswered, phrase("there is no reply to the POST"))
            self._unanswered = None
        if decision.kind is Kind.UNKNOWN:
            message = phrase("“{tool}” sent a POST whose body is not in the file", tool=tool)
            warn(Code.POST_PAYLOAD_UNKNOWN, called, message)
        elif Sign.NO_RESULT in decision.signs:
            # As the last item it is reported with the history: the official grader fails on it.
            self._unanswered = called
        if Sign.UNCLEAR_REPLY in decision.signs:
            message = phrase("the reply to the POST is “{text}”", text=quote(decision.history[1]["content"]))
            warn(Code.POST_UNCLEAR_REPLY, call.reply_place, message)
        if Sign.OTHER_BASE in decision.signs:
            warn(Code.URL_OTHER_BASE, called, phrase("the POST was sent to {url}", url=quote(decision.url)))
        if Sign.OTHER_METHOD in decision.signs:
            message = phrase("“{tool}” wrote by another method than POST", tool=tool)
            warn(Code.WRITE_OTHER_METHOD, called, message)
        self.signs.update(decision.signs)
        places = (called, call.reply_place)[: len(decision.history)]
        if decision.history:
            post = Post(
                items=decision.history,
                places=places,
                url=decision.url,
                payload=decision.payload,
                accepted=decision.accepted,
                is_known=decision.kind is Kind.POST,
            )
            self.posts.append(post)
        self.items += decision.history
        self.places += (None, *places[1:]) if decision.kind is Kind.UNKNOWN else places


class SignTotals:
    """The signs of the calls of a file, by task."""

    def __init__(self) -> None:
        self._tasks: dict[Sign, dict[str, Findings]] = {}

    def add(self, task_id: str, tools: ToolHistory, here: Findings) -> None:
        """Add what the calls of a task show. here: its place."""
        for sign in tools.signs:
            self._tasks.setdefault(sign, {}).setdefault(task_id, here)

    def report(self) -> None:
        """Add a warning for each sign, at the place of its first task."""
        for sign, what in _SAYS.items():
            if tasks := self._tasks.get(sign):
                message = phrase_n(
                    "{what}; so in {n:,} task: {named}",
                    "{what}; so in {n:,} tasks: {named}",
                    len(tasks),
                    what=what,
                    named=listed([*tasks]),
                )
                next(iter(tasks.values())).warning(Code.POST_CONVERTED, (), message)


def has_tool_roles(history: Any) -> TypeGuard[list[Any]]:
    """Return whether a history has calls of tools as items of their own."""
    return isinstance(history, list) and any(_role(item) in (_CALL, _REPLY) for item in history)


def as_messages(history: Iterable[Any]) -> list[Any]:
    """Return a history with the two roles of the harness alone, to compare it with the schema."""
    roles = {_CALL: "agent", _REPLY: "user"}
    return [{**item, "role": roles[_role(item)]} if _role(item) in roles else item for item in history]


def messages_of_tool_roles(history: list[Any]) -> Iterator[Message]:
    """Yield the messages of the agent in a history, whose items may be malformed.

    A reply is that of the call just before it: the format has no ids.
    """
    for position, item in enumerate(history):
        place = (position, "content")
        content = item.get("content") if isinstance(item, dict) else None
        call = value_of(content) if _role(item) == _CALL else None
        if isinstance(call, dict):
            name: Any = call.get("tool") or call.get("name")
            following = history[position + 1] if position + 1 < len(history) else {}
            found = Call(
                name=name,
                arguments=call.get("arguments"),
                result=_result(name, following.get("content")) if _role(following) == _REPLY else None,
                place=place,
                reply_place=(position + 1, "content"),
            )
            yield Message(role="agent", calls=(found,))
        elif _role(item) in ("agent", _CALL) and isinstance(content, str):
            yield Message(role="agent", text=content, place=(position,))


def _role(item: Any) -> str:
    role = item.get("role") if isinstance(item, dict) else None
    return role if isinstance(role, str) else ""


def _result(name: Any, content: Any) -> Any:
    """Return the result of the tool `name` in the content of a reply; None in a reply of another tool."""
    reply = value_of(content)
    if not isinstance(reply, dict):
        return "" if reply is None else reply
    if reply.get("tool", name) != name:
        return None
    result = reply.get("result", reply)
    if reply.get("is_error") is True:
        return {"is_error": True, "content": result}
    return "" if result is None else result
