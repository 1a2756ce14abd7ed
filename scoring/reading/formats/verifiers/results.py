"""The results of verifiers up to 0.3: results.jsonl, a rollout a line.

Source: verifiers 0.1.14. `answer` is the reference and `reward` a verdict: neither is read as an answer. The
address of the model's server stays unread.
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
    decoded,
    digest,
    first_line,
    first_text,
    milliseconds,
    number,
    value_at,
)

VERIFIERS_RESULTS = "verifiers-results"
HARNESS = "verifiers"
_KEYS = {"example_id", "prompt", "completion"}


class Rollout(msgspec.Struct, frozen=True):
    """A line of results.jsonl. example_id: the position in the data set, and no name of a task."""

    example_id: Any
    prompt: Any
    completion: Any
    info: Any = None
    task_id: Any = None
    error: Any = None
    timing: Any = None
    is_truncated: bool | None = None
    stop_condition: Any = None
    token_usage: Any = None


def is_rollout(record: Any) -> bool:
    """Return whether `record` is a line of results.jsonl, as a run of an environment writes it."""
    return isinstance(record, dict) and record.keys() >= _KEYS


def read_results(
    rows: Iterable[Row], *, metadata: Any = None, seen: Counter[tuple[str, ...]] | None = None
) -> Iterator[Attempt]:
    """Yield the attempts of rollouts: the n-th line of an example is its n-th run.

    metadata: what metadata.json beside the file holds
    seen: counts the rollouts of each example, from those in earlier files
    """
    seen = Counter() if seen is None else seen
    model = first_text(value_at(metadata, "model"))
    version = first_text(value_at(metadata, "version_info", "vf_version"))
    temperature = number(value_at(metadata, "sampling_args", "temperature"))
    for here, record in rows:
        if not (rollout := converted(record, Rollout, here)):
            continue
        prompt, completion = _placed(rollout.prompt, "prompt"), _placed(rollout.completion, "completion")
        task_id = _task_of_info(rollout)
        example = (str(rollout.example_id), task_id or digest(rollout.prompt))
        seen[example] += 1
        timing, usage = rollout.timing, rollout.token_usage
        seconds = number(value_at(timing, "total"))
        if seconds is None and (passed := number(value_at(timing, "total_ms"))) is not None:
            seconds = passed / 1000
        started = milliseconds(value_at(timing, "start_time"))
        conversation = read_messages([*prompt, *completion])
        named = first_text(*(value_at(rollout.error, key) for key in ("error", "error_chain_repr")))
        limit = conversation.limit(rollout.stop_condition) if rollout.is_truncated else ""
        yield conversation.attempt(
            task_id=task_id,
            place=here.base,
            line=here.line,
            run=seen[example],
            # Older files have it as a text.
            error=first_line(rollout.error) or first_line(named) or limit,
            facts=Facts(
                input_tokens=count(value_at(usage, "input_tokens")),
                output_tokens=count(value_at(usage, "output_tokens")),
                seconds=seconds,
                rounds=sum(value_at(message, "role") == "assistant" for _, message in completion),
                model=model,
                harness=HARNESS,
                harness_version=version,
                temperature=temperature,
                started=started,
                finished=int(started + seconds * 1000) if started and seconds else None,
            ),
            notes=(FormatCode.TRUNCATED,) if rollout.is_truncated else (),
        )


def _task_of_info(rollout: Rollout) -> str:
    """Return the id of the task as the environment put it into `info`; "" without one."""
    info = decoded(rollout.info) if isinstance(rollout.info, str) else rollout.info
    within = info.items() if isinstance(info, dict) else ()
    holders = [info, *(value for key, value in within if key.startswith("eval"))]
    ids = (value_at(holder, key) for holder in holders for key in ("task_id", "id"))
    return first_text(rollout.task_id, *ids)


def _placed(messages: Any, name: str) -> list[Placed]:
    """Return the messages of a prompt or a completion, which an environment of plain text has as one text."""
    if isinstance(messages, str):
        return [((name,), {"role": "user" if name == "prompt" else "assistant", "content": messages})]
    listed = messages if isinstance(messages, list) else []
    return [((name, position), message) for position, message in enumerate(listed)]
