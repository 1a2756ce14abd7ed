"""The records of a MedAgentBench submission, and the formats of its file."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wardboard.scoring.reading.formats.attempts import NO_FACTS, Facts
from wardboard.scoring.reading.no_answers import says_nothing

RESULT_FILE, RUN_LINES, OVERALL = "result-json", "runs-jsonl", "overall-json"
ANSWER_LINES, AGENTBEATS = "answer-lines", "agentbeats"
LATEST = 253_402_300_799_999  # milliseconds from 1970 to the end of the year 9999
# Write escapes, because a JSON file can contain a lone surrogate, which UTF-8 cannot encode.
_encoder = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """The result of one task.

    - answer: the text given to FINISH, None if the agent gave none
    - post_history: the messages in order, each {"role": "agent" | "user", "content": str}
    - finished: when the run was finished, in milliseconds since 1970 (UTC), None if the file does not say
    - is_whole: whether the file holds the whole conversation, of which the history has the POSTs alone
    - facts: what the file states beside these; it is summed up, and not kept with the record

    Grading reads the first three alone.
    """

    task_id: str
    answer: str | None
    post_history: list[dict[str, str]]
    finished: int | None = None
    is_whole: bool = False
    facts: Facts = NO_FACTS

    @property
    def is_no_answer(self) -> bool:
        """Whether nothing was sent, and the answer is missing, blank, an error or a refusal.

        An empty list is an answer: it is the one that is due where a task asks for a POST alone.
        """
        if any(item["role"] == "agent" and "POST" in item["content"] for item in self.post_history):
            return False
        answer = self.answer
        return answer is None or ("".join(answer.split()) != "[]" and says_nothing(answer))


def messages(history: list[dict[str, Any]] | None) -> list[dict[str, str]]:
    """Return a valid history, reduced to the fields that grading reads."""
    return [{"role": item["role"], "content": item["content"]} for item in history or ()]


def encode_result(result: TaskResult) -> bytes:
    """Encode `result` as a line of the file that is kept for scoring."""
    # Do not call `asdict`, which copies each message and takes ten times as long as the rest.
    fields: dict[str, Any] = {
        "task_id": result.task_id,
        "answer": result.answer,
        "post_history": result.post_history,
    }
    if result.finished is not None:
        fields["finished"] = result.finished
    if result.is_whole:
        fields["is_whole"] = True
    return _encoder.encode(fields).encode("ascii")


def decode_result(line: bytes) -> TaskResult:
    """Decode a line from `encode_result`."""
    return TaskResult(**json.loads(line))


def write_result_file(results: Iterable[TaskResult], *, version: str) -> str:
    """Return a result file with `results`. version: that it states."""
    listed = [
        {
            "task_id": result.task_id,
            "answer": result.answer,
            "post_history": result.post_history,
            **({"timestamp": _moment(result.finished)} if result.finished is not None else {}),
        }
        for result in results
    ]
    return json.dumps({"version": version, "total_tasks": len(listed), "results": listed}, indent=2) + "\n"


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
