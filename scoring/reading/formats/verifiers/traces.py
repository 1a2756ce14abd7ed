"""The traces of verifiers from 0.2: traces.jsonl, an episode a line, whose messages are a tree.

Source: verifiers 0.4.0. The data of a task may hold the reference, and rewards are verdicts: neither is read
as an answer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Row, converted
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.messages import Placed, read_messages
from wardboard.scoring.reading.formats.values import (
    count,
    digest,
    first_line,
    first_stated,
    first_text,
    milliseconds,
    number,
    total,
    value_at,
)
from wardboard.scoring.reading.formats.verifiers.results import HARNESS
from wardboard.scoring.reading.messages import phrase

VERIFIERS_TRACES = "verifiers-traces"
_KEYS = {"task", "traces"}
_JUDGE = "judge"
# Why a trace ended early. Source: verifiers, Trace.is_truncated.
_LIMITS = {"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens", "compaction_failed"}


class Episode(msgspec.Struct, frozen=True):
    task: dict[str, Any]
    traces: list[dict[str, Any]]
    errors: list[Any] | None = None


def is_episode(record: Any) -> bool:
    """Return whether `record` is a line of traces.jsonl."""
    return (
        isinstance(record, dict)
        and record.keys() >= _KEYS
        and isinstance(record["traces"], list)
        and isinstance(record["task"], dict)
    )


def read_traces(rows: Iterable[Row], *, seen: Counter[tuple[str, ...]] | None = None) -> Iterator[Attempt]:
    """Yield the attempts of episodes: the n-th episode of a task is its n-th run.

    seen: counts the episodes of each task, from those in earlier files
    """
    seen = Counter() if seen is None else seen
    for here, record in rows:
        if not (episode := converted(record, Episode, here)):
            continue
        names = [first_text(value_at(trace, "agent", "name")).lower() for trace in episode.traces]
        solving = [number for number, name in enumerate(names) if _JUDGE not in name]
        if len(solving) > 1:
            message = phrase("the episode has traces of {count:,} agents", count=len(solving))
            here.problem(FormatCode.SEVERAL_SYSTEMS, ("traces",), message)
            continue
        data = value_at(episode.task, "data")
        task_id = first_text(*(value_at(data, key) for key in ("task_id", "id", "name")))
        task = (task_id or digest(value_at(data, "prompt")),)
        seen[task] += 1
        yield msgspec.structs.replace(
            _attempt_of_trace(episode, solving[0] if solving else None),
            task_id=task_id,
            run=seen[task],
            place=here.base,
            line=here.line,
        )


def _attempt_of_trace(episode: Episode, solving: int | None) -> Attempt:
    """Return what a trace says of an attempt. solving: its number; None for an episode without one."""
    trace = {} if solving is None else episode.traces[solving]
    nodes = trace.get("nodes")
    nodes = nodes if isinstance(nodes, list) else []
    branch = _last_branch(nodes)
    place = ("traces", solving or 0, "nodes")
    messages: list[Placed] = [
        ((*place, node, "message"), value_at(nodes[node], "message")) for node in branch
    ]
    if not messages and isinstance(prompt := value_at(episode.task, "data", "prompt"), str):
        messages = [(("task", "data", "prompt"), {"role": "user", "content": prompt})]
    kept = set(branch)
    left_out = (node for number, node in enumerate(nodes) if number not in kept)
    has_others = any(value_at(node, "message", "tool_calls") for node in left_out)
    conversation, stopped = read_messages(messages), first_text(trace.get("stop_condition"))
    is_cut = stopped in _LIMITS or value_at(trace, "calls", -1, "finish_reason") == "length"
    error = _last_error(trace.get("errors")) or _last_error(episode.errors)
    return conversation.attempt(
        task_id="",
        error=error or (conversation.limit(stopped) if is_cut else ""),
        facts=_facts_of_trace(trace),
        notes=(
            *((FormatCode.OTHER_BRANCHES,) if has_others else ()),
            *((FormatCode.TRUNCATED,) if is_cut else ()),
        ),
    )


def _last_branch(nodes: list[Any]) -> list[int]:
    """Return the nodes from a root to the last node, each by its number; a circle ends where it closes."""
    branch: list[int] = []
    seen: set[int] = set()
    at: Any = len(nodes) - 1
    while type(at) is int and 0 <= at < len(nodes) and at not in seen:
        seen.add(at)
        branch.append(at)
        at = value_at(nodes[at], "parent")
    return branch[::-1]


def _facts_of_trace(trace: dict[str, Any]) -> Facts:
    calls = trace.get("calls")
    made = [call for call in calls if not value_at(call, "error")] if isinstance(calls, list) else None
    usages = [value_at(call, "usage") for call in made or ()]
    cached = total(*(count(value_at(usage, "cached_input_tokens")) for usage in usages))
    fresh = total(*(count(value_at(usage, "prompt_tokens")) for usage in usages))
    agent = value_at(trace, "timing", "agent")
    start, end = number(value_at(agent, "start")), number(value_at(agent, "end"))
    return Facts(
        input_tokens=count(total(fresh, cached)),
        cached_tokens=count(cached),
        output_tokens=count(total(*(count(value_at(usage, "completion_tokens")) for usage in usages))),
        cost_usd=total(*(number(value_at(usage, "cost")) for usage in usages)),
        seconds=end - start if start and end and end >= start else None,
        rounds=None if made is None else len(made),
        model=first_text(*(value_at(call, "model") for call in made or ())),
        temperature=first_stated(*(number(value_at(call, "sampling", "temperature")) for call in made or ())),
        harness=HARNESS,
        harness_version=first_text(value_at(trace, "verifiers", "version")),
        started=milliseconds(start),
        finished=milliseconds(end),
    )


def _last_error(errors: Any) -> str:
    last = errors[-1] if isinstance(errors, list) and errors else None
    return ": ".join(filter(None, [first_line(value_at(last, key)) for key in ("type", "message")]))
