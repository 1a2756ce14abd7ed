"""Convert a conversation with tools into the history that the official graders read."""

from collections.abc import Iterable
from typing import Any, TypeGuard

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED_FHIR_BASE
from wardboard.scoring.medagentbench.reading.tool_calls.calls import Kind, Sign, base_of, decide
from wardboard.scoring.medagentbench.reading.tool_calls.refused import Post, post_of_decision
from wardboard.scoring.medagentbench.reading.tool_calls.texts import value_of
from wardboard.scoring.reading.collector import Findings, Steps
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n
from wardboard.scoring.reading.problems import quote

_CALL, _REPLY = "tool_call", "tool_result"


class ToolHistory:
    """The POSTs that calls of tools stand for, in order, each with its reply; what is ambiguous is reported.

    - signs: what the calls show
    - places: of the contents of the items, from that of `findings`; None for one that is reported already
    - posts: the same, as POSTs
    """

    def __init__(self, findings: Findings) -> None:
        self.items: list[dict[str, str]] = []
        self.places: list[Steps | None] = []
        self.signs: set[Sign] = set()
        self.posts: list[Post] = []
        self._findings = findings
        self._base = PUBLISHED_FHIR_BASE
        self._unanswered: Steps | None = None
        self._prose: list[Steps] = []

    def add_call(self, name: Any, arguments: Any, result: Any, called: Steps, replied: Steps) -> None:
        """Add a call. result: None if there is no reply. called, replied: the places of both."""
        # A relative address is one of the server that the agent addresses in full elsewhere.
        self._base = base_of(arguments) or self._base
        decision = decide(name, arguments, result, PUBLISHED_FHIR_BASE, used=self._base)
        if decision.history and self._unanswered is not None:
            self._warn(Code.POST_UNCLEAR_REPLY, self._unanswered, phrase("there is no reply to the POST"))
            self._unanswered = None
        if decision.kind is Kind.UNKNOWN:
            message = phrase("“{tool}” sent a POST whose body is not in the file", tool=quote(name))
            self._warn(Code.POST_PAYLOAD_UNKNOWN, called, message)
        elif Sign.NO_RESULT in decision.signs:
            # As the last item it is reported with the history: the official grader fails on it.
            self._unanswered = called
        if Sign.UNCLEAR_REPLY in decision.signs:
            message = phrase("the reply to the POST is “{text}”", text=quote(decision.history[1]["content"]))
            self._warn(Code.POST_UNCLEAR_REPLY, replied, message)
        if Sign.OTHER_BASE in decision.signs:
            message = phrase("the POST was sent to {url}", url=quote(decision.url))
            self._warn(Code.URL_OTHER_BASE, called, message)
        if Sign.OTHER_METHOD in decision.signs:
            message = phrase("“{tool}” wrote by another method than POST", tool=quote(name))
            self._warn(Code.WRITE_OTHER_METHOD, called, message)
        self.signs.update(decision.signs)
        if decision.history:
            self.posts.append(post_of_decision(decision, (called, replied)))
        self.items += decision.history
        places = (None if decision.kind is Kind.UNKNOWN else called, replied)
        self.places += places[: len(decision.history)]

    def leave_out(self, text: Any, place: Steps) -> None:
        """Leave out a text of the agent, whose calls are recorded apart."""
        if isinstance(text, str) and "POST" in text:
            self._prose.append(place)

    def end(self) -> None:
        """Report the texts that were left out and that the official graders would take for POSTs."""
        if self._prose:
            message = phrase_n(
                "{n:,} message of the agent contains POST, and is left out",
                "{n:,} messages of the agent contain POST, and are left out",
                len(self._prose),
            )
            self._warn(Code.TEXT_NAMES_POST, self._prose[0], message)

    def _warn(self, code: Code, place: Steps, message: Phrase) -> None:
        self._findings.warning(code, place, message)


def has_tool_roles(history: Any) -> TypeGuard[list[Any]]:
    """Return whether a history has calls of tools as items of their own."""
    return isinstance(history, list) and any(_role(item) in (_CALL, _REPLY) for item in history)


def as_messages(history: Iterable[Any]) -> list[Any]:
    """Return a history with the two roles of the harness alone, to compare it with the schema."""
    roles = {_CALL: "agent", _REPLY: "user"}
    return [{**item, "role": roles[_role(item)]} if _role(item) in roles else item for item in history]


def history_of_tool_roles(history: list[Any], findings: Findings) -> ToolHistory:
    """Return what the calls in a history stand for; its items may be malformed. findings: of its place.

    A reply is that of the call just before it: the format has no ids.
    """
    tools = ToolHistory(findings)
    for position, item in enumerate(history):
        findings.check_time()
        place = (position, "content")
        content = item.get("content") if isinstance(item, dict) else None
        call = value_of(content) if _role(item) == _CALL else None
        if isinstance(call, dict):
            name = call.get("tool") or call.get("name")
            following = history[position + 1] if position + 1 < len(history) else {}
            result = _result(name, following.get("content")) if _role(following) == _REPLY else None
            tools.add_call(name, call.get("arguments"), result, place, (position + 1, "content"))
        elif _role(item) in ("agent", _CALL):
            tools.leave_out(content, place)
    tools.end()
    return tools


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
