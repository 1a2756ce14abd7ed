"""What a MedAgentBench submission holds, once read."""

from dataclasses import dataclass
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
