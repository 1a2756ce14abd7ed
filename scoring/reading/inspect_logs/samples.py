"""Read a sample of a log of inspect_ai as an attempt. Source: inspect_ai, EvalSample, version 2."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Message, converted
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.messages import Placed, read_messages, text_of
from wardboard.scoring.reading.formats.values import count, first_text, instant, number, value_at
from wardboard.scoring.reading.inspect_logs.header import Header
from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.reading.limits import size as size_in_words
from wardboard.scoring.reading.messages import phrase

HARNESS = "inspect_ai"
_ATTACHMENT = "attachment://"
_TEXTS = 4  # how many times the size of an unpacked file the texts of messages may have
_ANSWER = ("output", "completion")
# Where agents put the ids that they retrieved: our name of the field, and that of other writers.
_RETRIEVED = ("agent_fhir_resources", "retrieved_fhir_ids")
# Names of fields by which a release that is not known here would leave out or change a sample.
_EDIT = re.compile(r"exclu|zero|omit|skip|edit|overrid|invalid")
_KNOWN = frozenset({"invalidation"})


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int = 1
    messages: list[dict[str, Any]] | None = None
    output: dict[str, Any] | None = None
    attachments: dict[str, Any] | None = None
    metadata: Any = None
    store: Any = None
    error: Any = None
    limit: Any = None
    model_usage: Any = None
    total_time: Any = None
    started_at: Any = None
    completed_at: Any = None
    invalidation: Any = None


class Samples:
    """What the samples of a log share: its header, and how long their texts may still be together.

    A reference of a few bytes stands for a text of any length, and as often as the log likes.
    """

    def __init__(self, header: Header, findings: Findings) -> None:
        self.header = header
        self._left = _TEXTS * findings.limits.unpacked_bytes

    def count(self, length: int, of_sample: int, most_of_sample: int, here: Findings) -> None:
        """Count a text of so many characters; `of_sample` are those of its sample so far.

        Raises SubmissionInvalid where there is too much.
        """
        self._left -= length
        if self._left < 0 or of_sample > most_of_sample:
            most = most_of_sample if self._left >= 0 else _TEXTS * here.limits.unpacked_bytes
            message = phrase("the messages of the log hold more than {limit}", limit=size_in_words(most))
            here.end(DocumentCode.TOO_LARGE, message)

    def attempt(self, value: Any, here: Findings) -> Attempt | None:
        """Return a sample as an attempt; report one that is none, and return None."""
        is_named = isinstance(value, dict) and type(value.get("id")) in (int, str)
        if not (is_named and type(value.get("epoch", 1)) is int):
            here.problem(FormatCode.DAMAGED, (), phrase("this is not a sample of inspect_ai"))
            return None
        sample = converted(value, _Sample, here)
        if sample is None:
            return None
        # Of an edit that is not known here.
        is_edited = any(_EDIT.search(name) for name, item in value.items() if item and name not in _KNOWN)
        return _Reader(sample, self, here).attempt(is_edited or self.header.is_edited)


class _Reader:
    def __init__(self, sample: _Sample, samples: Samples, here: Findings) -> None:
        self._sample, self._samples, self._here = sample, samples, here
        self._attachments, self._length = sample.attachments or {}, 0
        # What the messages may refer to: each attachment several times, beside their own texts.
        texts = (text for text in self._attachments.values() if isinstance(text, str))
        self._referred = MIB + _TEXTS * sum(map(len, texts))

    def attempt(self, is_edited: bool) -> Attempt:
        sample, header = self._sample, self._samples.header
        placed = map(self._placed, enumerate(sample.messages or []))
        # Messages of a log are whole, so two equal calls are two.
        conversation = read_messages(placed, has_copies=False)
        facts = self._facts()
        ending = self._ending(conversation.messages)
        notes = {
            FormatCode.NOT_FINISHED: header.status != "success",
            FormatCode.INVALIDATED: bool(sample.invalidation) or is_edited,
            FormatCode.CACHED_TOKENS: not header.has_cached_apart and bool(facts.cached_tokens),
        }
        return conversation.attempt(
            task_id=str(sample.id),
            place=tuple(self._here.base),
            task_place=("id",),
            run=sample.epoch,
            ending=ending,
            answer_place=_ANSWER,
            record=self._record() or None,
            error=self._error(has_answer=bool(ending)),
            facts=facts,
            notes=tuple(note for note, holds in notes.items() if holds),
        )

    def _placed(self, numbered: tuple[int, dict[str, Any]]) -> Placed:
        """Return a message as one of a chat, with its place. A call that could not be parsed was not made."""
        number, message = numbered
        place, content = ("messages", number), self._content(message.get("content"))
        if error := message.get("error"):
            content = text_of(content) or first_text(value_at(error, "message"))
        calls = message["tool_calls"] if isinstance(message.get("tool_calls"), list) else ()
        made = [None if value_at(call, "parse_error") else self._call(call) for call in calls]
        chat = {**message, "content": content, "tool_calls": made, "is_error": bool(error)}
        return ((*place, "content") if message.get("role") == "tool" else place), chat

    def _call(self, call: Any) -> Any:
        arguments = self._content(value_at(call, "arguments"))
        return {"id": value_at(call, "id"), "name": value_at(call, "function"), "arguments": arguments}

    def _ending(self, messages: Sequence[Message]) -> str:
        """Return the last text of the agent, or what it submitted by a tool; "" for none."""
        output = self._sample.output
        # Some releases write it only into the message of the first choice.
        contents = (value_at(output, "completion"), value_at(output, "choices", 0, "message", "content"))
        text = first_text(*(text_of(self._content(content)) for content in contents))
        calls = (call for message in reversed(messages) for call in reversed(message.calls))
        answers = (value_at(call.arguments, "answer") for call in calls if "submit" in call.name)
        submitted = first_text(*answers)
        # By default, an agent of inspect_ai puts what it submitted behind its last text.
        return submitted if submitted and text.endswith(submitted) else text or submitted

    def _error(self, *, has_answer: bool) -> str:
        """Return what ended the sample, an error, or a limit if there is no answer, in a line."""
        error, limit = self._sample.error, self._sample.limit
        if isinstance(error, dict):
            return str(error.get("message", "")).partition("\n")[0] or "error"
        return str(limit.get("type", "limit")) if isinstance(limit, dict) and not has_answer else ""

    def _content(self, value: Any) -> Any:
        """Return a content or arguments with the texts to which they refer, and count these."""
        if isinstance(value, str):
            key = value.removeprefix(_ATTACHMENT) if value.startswith(_ATTACHMENT) else None
            attached = self._attachments.get(key) if key is not None else None
            text = attached if isinstance(attached, str) else value
            self._length += len(text)
            self._referred += len(text) if text is value else 0
            most = min(self._referred, self._here.limits.record_bytes)
            self._samples.count(len(text), self._length, most, self._here)
            return text
        if isinstance(value, list):
            return [self._content(item) for item in value]
        if isinstance(value, dict):
            # An image is no text, and may be large.
            return {key: item if key == "image" else self._content(item) for key, item in value.items()}
        return value

    def _record(self) -> dict[str, Any]:
        """Return the retrieved ids. What the agent stored counts before what the data set states."""
        holders = [each for each in (self._sample.metadata, self._sample.store) if isinstance(each, dict)]
        return {name: holder[name] for holder in holders for name in _RETRIEVED if name in holder}

    def _facts(self) -> Facts:
        sample, header = self._sample, self._samples.header
        usage = self._usage()
        tokens, cached, written = (
            count(value_at(usage, f"input_tokens{part}")) for part in ("", "_cache_read", "_cache_write")
        )
        if tokens is not None and header.has_cached_apart:
            tokens += (cached or 0) + (written or 0)
        return Facts(
            input_tokens=tokens,
            cached_tokens=cached,
            output_tokens=count(value_at(usage, "output_tokens")),
            cost_usd=number(value_at(usage, "total_cost")),
            seconds=number(sample.total_time),
            rounds=sum(
                (each.get("role"), each.get("source")) == ("assistant", "generate")
                for each in sample.messages or ()
            ),
            model=header.model,
            harness=HARNESS,
            harness_version=header.release,
            temperature=header.temperature,
            started=instant(sample.started_at),
            finished=instant(sample.completed_at),
            began_on="" if sample.started_at else header.began_on,
            commit=first_text(value_at(header.revision, "commit")),
            is_dirty=value_at(header.revision, "dirty") is True or None,
        )

    def _usage(self) -> Any:
        """Return the tokens of the model that is evaluated, not those of one that grades."""
        models = self._sample.model_usage if isinstance(self._sample.model_usage, dict) else {}
        return models.get(self._samples.header.model or (next(iter(models)) if len(models) == 1 else ""))
