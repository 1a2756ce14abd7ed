"""Sum up the history of a record, and remark on what the official harness would not have written.

Both follow from the record alone. Organisers see the remarks, which prove nothing: a file from another
harness gets them too. Source of the texts and of the number of rounds: MedAgentBench's harness
and paper.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from wardboard.scoring.medagentbench.reading.answers import parse_json
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.trace import RecordTrace

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "acceptance-text": "A reply accepts a POST in other words than the official harness.",
        "no-get": "The history shows the agent at work, but no GET before an answer with a value.",
        "value-unseen": "A value of the answer occurs in no response.",
        "rounds": "There are more than the 8 rounds that the official harness allows.",
        "expected-sol": "The field expected_sol is filled, so what wrote the file had expected answers.",
        "time": "Its time is impossible: after the upload, before 2024, in two forms that disagree, or "
        "earlier than that of a line above it.",
    }
)

_ACCEPTED = (
    "POST request accepted and executed successfully. Please call FINISH if you have got answers for all the "
    "questions and finished all the requested tasks"
)
_ROUNDS = 8
_EARLIEST = datetime(2024, 1, 1, tzinfo=UTC)  # the tasks are set in November 2023, and were published later
_ZONES = timedelta(days=1)  # a time without a zone may be off by almost as much
# In the other types, the agent works out an age or a mean, or the grader does not read the answer.
_LOOKED_UP = ("task1", "task4", "task5", "task7", "task9", "task10")
# Skip long or multi-valued answers: these task types ask for one value.
_LONGEST_ANSWER, _MOST_VALUES = 1000, 4


def trace(record: TaskResult, *, received: datetime) -> RecordTrace:
    """Return what a record holds of its trace. received: when the file came, with a time zone."""
    agent = [_command(item["content"]) for item in record.post_history if item["role"] == "agent"]
    reads = any(content.startswith("GET") for content in agent)
    return RecordTrace(
        is_answered=record.answer is not None,
        reads=reads or record.is_whole,
        writes=any(content.startswith("POST") for content in agent),
        is_conversation=reads or record.is_whole or any(content.startswith("FINISH") for content in agent),
        kinds=_kinds(record, agent, received),
    )


def _kinds(record: TaskResult, agent: list[str], received: datetime) -> frozenset[str]:
    """Return the keys of KINDS that apply. agent: what the agent sent, in order."""
    kinds = set()
    if any(reply != _ACCEPTED for reply in _acceptances(record.post_history)):
        kinds.add("acceptance-text")
    if len(agent) > _ROUNDS:
        kinds.add("rounds")
    if record.fills_expected_sol:
        kinds.add("expected-sol")
    if _is_impossible(record, received):
        kinds.add("time")
    has_get = any(content.startswith("GET") for content in agent)
    # A history of POSTs alone is what the result file asks for: it cannot show what the agent read.
    is_whole = has_get or any(content.startswith("FINISH") for content in agent)
    values = _values(record) if is_whole else []
    if values and not has_get:
        kinds.add("no-get")
    elif values and not _all_seen(values, record.post_history):
        kinds.add("value-unseen")
    return frozenset(kinds)


def _is_impossible(record: TaskResult, received: datetime) -> bool:
    if record.is_time_odd:
        return True
    if record.finished is None:
        return False
    finished = datetime.fromtimestamp(record.finished / 1000, UTC)
    return not _EARLIEST - _ZONES <= finished <= received + _ZONES


def _command(content: str) -> str:
    """Return what the agent sent without the fence of a code block, as the harness reads it."""
    return content.lstrip().removeprefix("```tool_code").removeprefix("```").lstrip()


def _acceptances(history: list[dict[str, str]]) -> Iterator[str]:
    """Yield each reply that accepts a POST, as the official grader finds it."""
    for item, reply in pairwise(history):
        if (
            item["role"] == "agent"
            and "POST" in item["content"]
            and "POST request accepted" in reply["content"]
        ):
            yield reply["content"].strip()


def _values(record: TaskResult) -> list[Any]:
    """Return what a looked-up answer states: numbers and texts, without -1 and `Patient not found`."""
    if record.task_id.partition("_")[0] not in _LOOKED_UP or len(record.answer or "") > _LONGEST_ANSWER:
        return []
    try:
        answer = parse_json(record.answer or "[]")
    except ValueError:
        return []
    parts = answer if isinstance(answer, list) else [answer]
    if len(parts) > _MOST_VALUES:
        return []
    return [
        part
        for part in parts
        if isinstance(part, int | float | str) and not isinstance(part, bool)
        if part not in (-1, "", "Patient not found")
    ]


def _all_seen(values: list[Any], history: list[dict[str, str]]) -> bool:
    # The first message is the task itself.
    responses = "\n".join(item["content"] for item in history[1:] if item["role"] == "user")
    return all(_pattern(value).search(responses) for value in values)


def _pattern(value: Any) -> re.Pattern[str]:
    if isinstance(value, str):
        return re.compile(re.escape(value))
    # A response may write 123.0 as 123, and 7.0 as 7.00.
    whole, _, decimals = repr(value).partition(".")
    decimals = decimals.rstrip("0")
    fraction = rf"\.{re.escape(decimals)}0*" if decimals else r"(?:\.0*)?"
    return re.compile(rf"(?<![\d.]){re.escape(whole)}{fraction}(?![\d])")
