"""One record of a submission, as far as grading needs it."""

from typing import Any

import msgspec


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What answering one question took, as the submitter says: tokens, US dollars, calls of a model."""

    prompt_tokens: float | None = None
    completion_tokens: float | None = None
    total_tokens: float | None = None
    cost: float | None = None
    llm_calls: float | None = None


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a system said to one question.

    answer: text; None where there is none; another JSON value as it stood in the file. resources: ids by
    resource type as retrieved, after a string was parsed; None where nothing was. failed: the file says
    that the agent raised an error (specification 4.1).
    """

    task_id: str
    answer: Any = None
    resources: dict[str, Any] | None = None
    failed: bool = False
    usage: Usage | None = None


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnswerRecord)


def as_line(record: AnswerRecord) -> bytes:
    """Return `record` as a line of what is kept."""
    return _encoder.encode(record)


def of_line(line: bytes) -> AnswerRecord:
    """Return the record that `as_line` took."""
    return _decoder.decode(line)
