"""Records of a submission: the parts that grading needs."""

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from wardboard.scoring.reading.no_answers import fingerprint, says_nothing


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one answer took, as reported by the submitter: tokens, US dollars, model calls."""

    prompt_tokens: float | None = None
    completion_tokens: float | None = None
    total_tokens: float | None = None
    cost: float | None = None
    llm_calls: float | None = None


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A system's answer to one question.

    - answer: text, or None if there is none; any other JSON value is kept as it was in the file.
    - resources: the retrieved ids by resource type (text is parsed first); None if nothing was retrieved.
    - failed: the file says that the agent raised an error, which the official evaluator scores 0.
    - usage: tokens, cost and calls, None if not stated.
    """

    task_id: str
    answer: Any = None
    resources: dict[str, Any] | None = None
    failed: bool = False
    usage: Usage | None = None
    has_trace: bool = False

    @property
    def fingerprint(self) -> int | None:
        """The fingerprint of its answer; None where it failed, or said nothing: 0 is an answer."""
        if self.failed or self.answer is None:
            return None
        text = self.answer if isinstance(self.answer, str) else json.dumps(self.answer, ensure_ascii=False)
        is_number = isinstance(self.answer, int | float)
        return None if not is_number and says_nothing(text) else fingerprint(text)


# Return a record as one JSON line, without its line break, and the record that such a line holds.
encode_record = msgspec.json.Encoder().encode
decode_record = msgspec.json.Decoder(AnswerRecord).decode


def write_records(records: Iterable[AnswerRecord]) -> str:
    """Return a file of the benchmark's runner with `records`, as far as grading needs them."""
    listed = [
        {
            "question_id": record.task_id,
            "agent_answer": record.answer,
            "agent_fhir_resources": record.resources,
            **({"error": "the agent failed"} if record.failed else {}),
            **({"usage": msgspec.to_builtins(record.usage)} if record.usage else {}),
        }
        for record in records
    ]
    return json.dumps(listed, indent=2) + "\n"
