"""The records of a MedAgentBench submission, and the formats of its file."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wardboard.scoring.reading.formats.attempts import NO_FACTS, Facts
from wardboard.scoring.reading.no_answers import fingerprint, says_nothing

RESULT_FILE, RUN_LINES, OVERALL = "result-json", "runs-jsonl", "overall-json"
ANSWER_LINES, AGENTBEATS = "answer-lines", "agentbeats"
LATEST = 253_402_300_799_999  # milliseconds from 1970 to the end of the year 9999
_NUMBERS = re.compile(r"[\s\[\]\"'.,\d-]*\d[\s\[\]\"'.,\d-]*|\s*\[\s*\]\s*")
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
    def fingerprint(self) -> int | None:
        """The fingerprint of its answer; None where nothing was sent, and it is missing or says nothing.

        What was sent, numbers and an empty list are answers that many tasks ask for: each is one of its own.
        """
        answer = self.answer or ""
        is_sent = any(item["role"] == "agent" and "POST" in item["content"] for item in self.post_history)
        if is_sent or _NUMBERS.fullmatch(answer):
            return fingerprint(self.task_id)
        return None if says_nothing(answer) else fingerprint(answer)


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
