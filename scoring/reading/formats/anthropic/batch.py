"""The results of a batch of messages of Anthropic: an answer of the model, or none, to each `custom_id`.

Source: the API reference of Anthropic, Message Batches.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.conversations import Conversation, read_lines
from wardboard.scoring.reading.formats.openai.messages import text_of
from wardboard.scoring.reading.formats.values import count, first_line, first_text, total, value_at
from wardboard.scoring.reading.messages import phrase

ANTHROPIC_BATCH = "anthropic-batch"
_ENDS = ("succeeded", "errored", "canceled", "expired")
# Why a message is not whole.
_CUT = ("max_tokens", "model_context_window_exceeded", "pause_turn")


def is_batch_result(record: Any) -> bool:
    """Return whether `record` is a line of the results of a batch."""
    return isinstance(value_at(record, "custom_id"), str) and value_at(record, "result", "type") in _ENDS


def read_batch_results(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of the results of a batch: one answer of the model each, or what ended it."""
    return read_lines(
        rows, is_batch_result, _conversation, phrase("this is no line of the results of a batch")
    )


def _conversation(record: dict[str, Any], here: Findings) -> Conversation:
    result = record["result"]
    message, ending = value_at(result, "message"), result["type"]
    usage, reason = value_at(message, "usage"), value_at(message, "stop_reason")
    cached, written = (count(value_at(usage, f"cache_{kind}_input_tokens")) for kind in ("read", "creation"))
    error = value_at(result, "error", "error") or value_at(result, "error")
    if ending == "succeeded":
        # A refusal may have no text.
        ending = "" if text_of(value_at(message, "content")) else first_text(reason)
    return Conversation(
        here=here,
        task_id=record["custom_id"],
        messages=[(("result", "message"), message)],
        facts=Facts(
            # Unlike others, this interface counts the cached tokens apart.
            input_tokens=count(total(count(value_at(usage, "input_tokens")), cached, written)),
            cached_tokens=cached,
            output_tokens=count(value_at(usage, "output_tokens")),
            model=first_text(value_at(message, "model")),
        ),
        has_tools=False,
        error=first_line(value_at(error, "message")) or ending,
        notes=(FormatCode.TRUNCATED,) if reason in _CUT else (),
    )
