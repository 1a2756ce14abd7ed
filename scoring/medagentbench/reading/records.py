"""What a MedAgentBench submission holds, once read."""

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """The result of one task.

    answer: the text given to FINISH, None where the agent gave none. post_history: the messages in
    order, each {"role": "agent" | "user", "content": str}.
    """

    task_id: str
    answer: str | None
    post_history: list[dict[str, str]]


def messages(history: list[dict[str, Any]] | None) -> list[dict[str, str]]:
    """Return a history that passed the schema with what grading reads of each message."""
    return [{"role": item["role"], "content": item["content"]} for item in history or ()]


def as_line(result: TaskResult) -> bytes:
    """Return `result` as a line of what is kept for scoring."""
    # Escaped: a lone surrogate, which a JSON file can hold, is no UTF-8.
    return json.dumps(asdict(result), separators=(",", ":")).encode("ascii")


def of_line(line: bytes) -> TaskResult:
    """Return the result that `as_line` took."""
    return TaskResult(**json.loads(line))
