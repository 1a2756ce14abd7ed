"""Logs of conversations by OpenAI's interfaces: messages of a chat, and the output of a batch.

There is no common frame: a record is a line with `messages`, or one of a batch. Fields that may hold a
reference answer, such as `answer` in a set for training, are not read.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.conversations import Conversation, Conversations
from wardboard.scoring.reading.formats.openai.items import is_of_items, items_of, messages_of_items
from wardboard.scoring.reading.formats.openai.messages import Placed
from wardboard.scoring.reading.formats.values import (
    count,
    first_line,
    first_stated,
    first_text,
    number,
    value_at,
)
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

OPENAI_CHAT, OPENAI_RESPONSES, OPENAI_BATCH = "openai-chat", "openai-responses", "openai-batch"
_OK = 200
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
    messages = [] if isinstance(record.get("output"), dict) else _messages(record)[1]
    return bool(messages) and (
        any(value_at(message, "role") == "assistant" for message in messages) or bool(_choices(record)[1])
    )


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
    conversations = Conversations()
    for here, record in rows:
        steps, messages = _messages(record)
        choices_at, choices = _choices(record)
        if not messages:
            here.problem(FormatCode.DAMAGED, (), phrase("the line has no list of `messages`"))
            continue
        if (task_id := _task_id(record, here)) is None or not _is_one_choice(choices_at, choices, here):
            continue
        placed: list[Placed] = [((*steps, number), message) for number, message in enumerate(messages)]
        placed += _answer_of(choices_at, choices)
        notes = _notes_of(choices)
        facts = _facts(record, record.get("response"))
        if not facts.model and facts.input_tokens is None and facts.output_tokens is None:
            notes = (*notes, FormatCode.MAYBE_TRAINING)
        yield from conversations.add(
            Conversation(
                here=here,
                task_id=task_id,
                messages=placed,
                facts=facts,
                error=_error(record.get("error")),
                notes=notes,
            )
        )
    yield from conversations.rest()


def read_responses(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of responses, of which one may follow another."""
    conversations = Conversations()
    for here, record in rows:
        if not is_responses(record):
            here.problem(FormatCode.DAMAGED, (), phrase("the line has no list of items in `output`"))
            continue
        response = record["response"] if is_of_items(record.get("response")) else record
        if (task_id := _task_id(record, here)) is None:
            continue
        is_cut = value_at(response, "status") == "incomplete"
        yield from conversations.add(
            Conversation(
                here=here,
                task_id=task_id,
                messages=[*messages_of_items(items_of(record))],
                facts=_facts(record, response),
                # A response may hold several turns of the model.
                counts_rounds=False,
                response=first_text(value_at(response, "id")),
                follows=first_text(value_at(response, "previous_response_id")),
                error=_error(value_at(response, "error")) or _error(record.get("error")),
                notes=(FormatCode.TRUNCATED,) if is_cut else (),
            )
        )
    yield from conversations.rest()


def read_batch(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of the output of a batch: one answer of the model each."""
    conversations = Conversations()
    for here, record in rows:
        if not is_batch(record):
            here.problem(FormatCode.DAMAGED, (), phrase("this is no line of the output of a batch"))
            continue
        body = value_at(record, "response", "body")
        choices_at, choices = ("response", "body", "choices"), value_at(body, "choices") or []
        if not isinstance(choices, list) or not _is_one_choice(choices_at, choices, here):
            continue
        messages = _answer_of(choices_at, choices)
        if is_of_items(body):
            messages = [*messages_of_items(items_of(body, "response", "body"))]
        task_id = record["custom_id"] if isinstance(record["custom_id"], str) else ""
        yield from conversations.add(
            Conversation(
                here=here,
                task_id=task_id,
                messages=messages,
                facts=_facts(record, body),
                counts_rounds=not is_of_items(body),
                has_tools=False,
                error=_error_of_batch(record),
                notes=_notes_of(choices),
            )
        )
    yield from conversations.rest()


def _messages(record: Any) -> tuple[tuple[str, ...], list[Any]]:
    """Return the path to the messages of a record, and the messages; none if it has none."""
    for steps in (("messages",), ("request", "messages"), ("request", "body", "messages")):
        messages = value_at(record, *steps)
        if isinstance(messages, list) and isinstance(value_at(messages, 0, "role"), str):
            return steps, messages
    return (), []


def _choices(record: Any) -> tuple[tuple[str, ...], list[Any]]:
    """Return the path to the answers of the model to the messages of a record, and the answers."""
    for steps in (("response", "choices"), ("response", "body", "choices"), ("choices",)):
        if isinstance(choices := value_at(record, *steps), list):
            return steps, choices
    return (), []


def _is_one_choice(steps: tuple[str, ...], choices: list[Any], here: Findings) -> bool:
    """Return whether the model gave one answer, and report it if it gave several."""
    if len(choices) > 1:
        message = phrase("the model gave {count:,} answers to one request", count=len(choices))
        here.problem(FormatCode.SEVERAL_CHOICES, steps, message)
    return len(choices) <= 1


def _answer_of(steps: tuple[str, ...], choices: list[Any]) -> list[Placed]:
    message = value_at(choices, 0, "message")
    return [((*steps, 0, "message"), {"role": "assistant", **message})] if isinstance(message, dict) else []


def _notes_of(choices: list[Any]) -> tuple[FormatCode, ...]:
    return (FormatCode.TRUNCATED,) if value_at(choices, 0, "finish_reason") == "length" else ()


def _task_id(record: dict[str, Any], here: Findings) -> str | None:
    """Return the id of a task, "" if none is stated; None, reported, if two places state different ones."""
    stated = first_text(record.get("task_id"), record.get("question_id"), record.get("custom_id"))
    within = first_text(value_at(record, "metadata", "task_id"), value_at(record, "metadata", "question_id"))
    if stated and within and stated != within:
        message = phrase(
            "the line names {task}, and its metadata {other}", task=quote(stated), other=quote(within)
        )
        here.problem(FormatCode.TASKS_DISAGREE, ("metadata", "task_id"), message)
        return None
    ids = (record.get("id"), value_at(record, "metadata", "id"))
    rows = (each for each in ids if isinstance(each, str) and not _REQUEST_ID.fullmatch(each))
    return stated or within or first_text(*rows)


def _facts(record: Any, response: Any) -> Facts:
    usage = value_at(response, "usage") or value_at(record, "usage")
    details = value_at(usage, "prompt_tokens_details") or value_at(usage, "input_tokens_details")
    return Facts(
        input_tokens=_count(usage, "prompt_tokens", "input_tokens"),
        cached_tokens=count(value_at(details, "cached_tokens")),
        output_tokens=_count(usage, "completion_tokens", "output_tokens"),
        model=first_text(value_at(response, "model"), value_at(record, "model")),
        temperature=first_stated(
            number(value_at(response, "temperature")), number(value_at(record, "temperature"))
        ),
    )


def _count(usage: Any, *names: str) -> int | None:
    return next((value for name in names if (value := count(value_at(usage, name))) is not None), None)


def _error(error: Any) -> str:
    """Return an error in a line: its text, or its message, or its code."""
    if isinstance(error, dict):
        return first_line(first_text(error.get("message"), error.get("code"), error.get("type"), "error"))
    return first_line(error)


def _error_of_batch(record: dict[str, Any]) -> str:
    status = value_at(record, "response", "status_code")
    error = _error(record.get("error")) or _error(value_at(record, "response", "body", "error"))
    return error or ("" if status in (None, _OK) else f"HTTP {quote(status)}")
