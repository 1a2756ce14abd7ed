"""Logs of conversations by OpenAI's interfaces: messages of a chat, responses, and the output of a batch.

There is no common frame: a line has `messages`, or items, or is one of a batch. Fields that may hold a
reference answer, such as `answer` in a set for training, are not read.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Row, Steps
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.conversations import Conversation, read_lines
from wardboard.scoring.reading.formats.openai.items import is_of_items, messages_of_items
from wardboard.scoring.reading.formats.openai.messages import Placed, role_of
from wardboard.scoring.reading.formats.rows.columns import is_of_agent
from wardboard.scoring.reading.formats.values import count, first_line, first_text, number, task_in, value_at
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

OPENAI_CHAT, OPENAI_RESPONSES, OPENAI_BATCH = "openai-chat", "openai-responses", "openai-batch"
_OK = 200
# Where the answer of an interface is in a line: in a batch, in a log of requests, or all of the line.
_ANSWERS = (("response", "body"), ("response",), ())
# Ids that stand for a request or a row, and for no task.
_REQUEST_ID = re.compile(
    r"(?:chatcmpl|cmpl|batch_req|resp|req|msg|gen|run|conv|thread)[-_].*|[0-9a-fA-F-]{32,36}", re.DOTALL
)
# Fields of other formats, whose records may hold messages as well.
_OF_OTHERS = (
    *("agent_answer", "final_answer", "agent_fhir_resources", "retrieved_fhir_ids"),
    *("post_history", "results", "history"),
)


def is_chat(record: Any) -> bool:
    """Return whether `record` has the messages of a conversation, one of the agent among them."""
    if not isinstance(record, dict) or any(name in record for name in _OF_OTHERS):
        return False
    # A line of runs.jsonl has an object as its output.
    messages = [] if isinstance(record.get("output"), dict) else _messages(record)
    if not messages or _choices(record)[1]:
        return bool(messages)
    # A prompt with examples has its answer beside it.
    texts = (name for name, value in record.items() if isinstance(value, str))
    roles = [role_of(message) for _, message in messages]
    return "agent" in roles and not (roles[-1] == "user" and any(map(is_of_agent, texts)))


def is_responses(record: Any) -> bool:
    """Return whether `record` is a response of the Responses interface, or has one or its items."""
    if not isinstance(record, dict) or any(name in record for name in _OF_OTHERS):
        return False
    return is_of_items(record.get("response")) or is_of_items(record)


def is_batch(record: Any) -> bool:
    """Return whether `record` is a line of the output of a batch."""
    if not isinstance(record, dict) or not {"custom_id", "response"} <= record.keys():
        return False
    response = record["response"]
    return "error" in record if response is None else value_at(response, "status_code") is not None


def read_chats(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of lines with `messages`."""
    refusal = phrase("the line has no list of `messages`")
    return read_lines(rows, lambda record: bool(_messages(record)), _conversation, refusal)


def read_responses(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of responses, of which one may follow another."""
    return read_lines(rows, is_responses, _conversation, phrase("the line has no list of items in `output`"))


def read_batch(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of the output of a batch: one answer of the model each."""
    return read_lines(rows, is_batch, _conversation, phrase("this is no line of the output of a batch"))


def _conversation(record: dict[str, Any], here: Findings) -> Conversation | None:
    """Return what a line holds of a conversation; None, reported, where it names two tasks or answers."""
    items_at = next((at for at in _ANSWERS if is_of_items(value_at(record, *at))), None)
    if (task_id := _task_id(record, here)) is None:
        return None
    choices_at, choices = _choices(record) if items_at is None else ((), [])
    if len(choices) > 1:
        message = phrase("the model gave {count:,} answers to one request", count=len(choices))
        here.problem(FormatCode.SEVERAL_CHOICES, choices_at, message)
        return None
    if items_at is None:
        messages = _messages(record)
        if isinstance(answer := value_at(choices, 0, "message"), dict):
            messages.append(((*choices_at, 0, "message"), {"role": "assistant", **answer}))
        response = next(value for at in _ANSWERS if isinstance(value := value_at(record, *at), dict))
    else:
        messages = [*messages_of_items(record, items_at)]
        response = value_at(record, *items_at)
    is_of_batch, facts = is_batch(record), _facts(record, response)
    is_cut = value_at(choices, 0, "finish_reason") == "length" or value_at(response, "status") == "incomplete"
    is_bare = not facts.model and facts.input_tokens is None and facts.output_tokens is None
    follows = items_at is not None and not is_of_batch
    return Conversation(
        here=here,
        task_id=task_id,
        messages=messages,
        facts=facts,
        # A response may hold several turns of the model.
        counts_rounds=items_at is None,
        has_tools=not is_of_batch,
        response=first_text(value_at(response, "id")) if follows else "",
        follows=first_text(value_at(response, "previous_response_id")) if follows else "",
        error=_error(record, response),
        notes=(
            *((FormatCode.TRUNCATED,) if is_cut else ()),
            *((FormatCode.MAYBE_TRAINING,) if is_bare and items_at is None and not is_of_batch else ()),
        ),
    )


def _messages(record: Any) -> list[Placed]:
    """Return the messages of a request, each with its place; none if it has none."""
    for steps in (("messages",), ("conversation",), ("request", "messages"), ("request", "body", "messages")):
        messages = value_at(record, *steps)
        if isinstance(messages, list) and isinstance(value_at(messages, 0, "role"), str):
            return [((*steps, number), message) for number, message in enumerate(messages)]
    return []


def _choices(record: Any) -> tuple[Steps, list[Any]]:
    """Return the path to the answers of the model to the messages of a record, and the answers."""
    for steps in _ANSWERS:
        if isinstance(choices := value_at(record, *steps, "choices"), list):
            return (*steps, "choices"), choices
    return (), []


def _task_id(record: dict[str, Any], here: Findings) -> str | None:
    """Return the id of a task, "" if none is stated; None, reported, if two places state different ones."""
    stated = first_text(record.get("task_id"), record.get("question_id"), record.get("custom_id"))
    within = first_text(value_at(record, "metadata", "task_id"), value_at(record, "metadata", "question_id"))
    if stated and within and stated != within:
        names = {"task": quote(stated), "other": quote(within)}
        message = phrase("the line names {task}, and its metadata {other}", **names)
        here.problem(FormatCode.TASKS_DISAGREE, ("metadata", "task_id"), message)
        return None
    ids = (record.get("id"), value_at(record, "metadata", "id"))
    rows = (each for each in ids if isinstance(each, str) and not _REQUEST_ID.fullmatch(each))
    return stated or within or first_text(*rows, task_in(record))


def _facts(record: Any, response: Any) -> Facts:
    usage = value_at(response, "usage") or value_at(record, "usage")
    details = value_at(usage, "prompt_tokens_details") or value_at(usage, "input_tokens_details")
    return Facts(
        input_tokens=_first(count, value_at(usage, "prompt_tokens"), value_at(usage, "input_tokens")),
        cached_tokens=count(value_at(details, "cached_tokens")),
        output_tokens=_first(count, value_at(usage, "completion_tokens"), value_at(usage, "output_tokens")),
        model=first_text(value_at(response, "model"), value_at(record, "model")),
        temperature=_first(number, value_at(response, "temperature"), value_at(record, "temperature")),
    )


def _first(read: Callable[[Any], Any], *values: Any) -> Any:
    return next((found for value in values if (found := read(value)) is not None), None)


def _error(record: dict[str, Any], response: Any) -> str:
    """Return what ended a request, in a line: a text, or the message or the code of an error, or a status."""
    for error in (record.get("error"), value_at(response, "error")):
        parts = (value_at(error, key) for key in ("message", "code", "type"))
        stated = first_text(*parts, "error") if isinstance(error, dict) else error
        if line := first_line(stated):
            return line
    status = value_at(record, "response", "status_code")
    return "" if status in (None, _OK) else f"HTTP {quote(status)}"
