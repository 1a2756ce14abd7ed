"""The steps of a trajectory in ATIF: texts, calls of tools with their replies, and figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wardboard.scoring.reading.formats.attempts import Call, Steps
from wardboard.scoring.reading.formats.openai.messages import text_of
from wardboard.scoring.reading.formats.values import count
from wardboard.scoring.reading.limits import KIB

# Characters of a reply that are kept: that to a POST is short, and those to searches fill most of a log.
_LONGEST_REPLY = 8 * KIB


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool. arguments: an object, or its JSON text."""

    tool_call_id: str | None = None
    function_name: str | None = None
    arguments: Any = None


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """Where the trajectory of a subagent is: in the same file by its id, or in another file."""

    trajectory_id: str | None = None
    trajectory_path: str | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A reply. source_call_id: None for one that is not to a call."""

    source_call_id: str | None = None
    content: Any = None
    subagent_trajectory_ref: list[Reference] | Reference | None = None
    extra: Any = None

    @property
    def references(self) -> Sequence[Reference]:
        found = self.subagent_trajectory_ref or ()
        return (found,) if isinstance(found, Reference) else found


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    results: list[Result] | None = None


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a step; prompt_tokens include the cached ones."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    cached_tokens: Any = None
    cost_usd: Any = None


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A step: a message, and the calls of an agent with the replies to them."""

    source: str | None = None
    message: Any = None
    timestamp: Any = None
    tool_calls: list[ToolCall] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: Any = None

    @property
    def results(self) -> Sequence[Result]:
        return (self.observation.results if self.observation else None) or ()


def calls_with_replies(step: Step, at: Steps) -> Iterator[tuple[Call | None, Sequence[Reference]]]:
    """Yield the calls of a step in their order, each with references to what it delegated to.

    Last come the references of replies to no call, with None. Of calls with one id, the last counts: such
    calls were streamed in parts. at: the place of the step.
    """
    calls = {call.tool_call_id or place: (place, call) for place, call in enumerate(step.tool_calls or ())}
    replies: dict[str | int, list[tuple[int, Result]]] = {}
    loose: list[Reference] = []
    for place, result in enumerate(step.results):
        if result.source_call_id in calls:
            replies.setdefault(result.source_call_id or "", []).append((place, result))
        else:
            loose += result.references
    for key, (place, call) in calls.items():
        found = replies.get(key, [])
        yield (
            Call(
                name=call.function_name or "",
                arguments=call.arguments,
                result=_reply([result for _, result in found]),
                place=(*at, "tool_calls", place),
                reply_place=(*at, "observation", "results", found[0][0]) if found else (),
            ),
            [reference for _, result in found for reference in result.references],
        )
    yield None, loose


def replies_without_call(step: Step, at: Steps) -> Iterator[tuple[Steps, str]]:
    """Yield the place and the text of each reply that is not to a call."""
    known = {call.tool_call_id for call in step.tool_calls or ()} - {None}
    for place, result in enumerate(step.results):
        if result.source_call_id not in known and (text := _shortened(text_of(result.content))):
            yield (*at, "observation", "results", place), text


def _reply(results: Sequence[Result]) -> Any:
    """Return the reply to a call: an object where it is one or states an error; None without a reply."""
    if not results:
        return None
    if len(results) == 1 and isinstance(results[0].content, dict):
        content: Any = results[0].content
    else:
        content = _shortened("\n".join(text_of(result.content) for result in results))
    extras = [result.extra for result in results if isinstance(result.extra, Mapping)]
    is_error = any(extra.get("is_error") is True for extra in extras)
    return {"is_error": True, "content": content} if is_error else content


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_REPLY else text[:_LONGEST_REPLY] + "… (cut)"


def turns(steps: Iterable[Step]) -> int:
    """Return the turns of the model: a step can stand for several, or for none."""
    counts = (
        count(step.llm_call_count) for step in steps if step.source == "agent" and not step.is_copied_context
    )
    return sum(1 if each is None else each for each in counts)
