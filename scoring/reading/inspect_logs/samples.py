"""Read a sample of a log of inspect_ai as an attempt. Source: inspect_ai, EvalSample, version 2."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, Call, Facts, Message, converted, milliseconds
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.inspect_logs.header import Header
from wardboard.scoring.reading.limits import size as size_in_words
from wardboard.scoring.reading.messages import phrase

HARNESS = "inspect_ai"
_ATTACHMENT = "attachment://"
_TEXTS = 4  # how many times the size of an unpacked file the texts of messages may have
_ANSWER = ("output", "completion")
# Where agents put the ids that they retrieved: our name of the field, and that of other writers.
_RETRIEVED = ("agent_fhir_resources", "retrieved_fhir_ids")
# The values of a score, as inspect_ai's metrics count them.
_VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
# Names of fields by which a release that is not known here would leave out or change a sample.
_EDIT = re.compile(r"exclu|zero|omit|skip|edit|overrid|invalid")
_KNOWN = frozenset({"invalidation"})


class _Call(msgspec.Struct):
    id: str | None = None
    function: Any = None
    arguments: Any = None
    parse_error: Any = None


class _Message(msgspec.Struct):
    role: str | None = None
    content: str | list[Any] | None = None
    source: Any = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    error: Any = None


class _Choice(msgspec.Struct):
    message: _Message | None = None


class _Output(msgspec.Struct):
    completion: str | None = None
    choices: list[_Choice] | None = None


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int = 1
    messages: list[_Message] | None = None
    output: _Output | None = None
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
    scores: Any = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_cache_read: int | None = None
    input_tokens_cache_write: int | None = None
    total_cost: float | None = None


class Samples:
    """What the samples of a log share: its header, and how long their texts may still be together.

    A reference of a few bytes stands for a text of any length, and as often as the log likes.
    """

    def __init__(self, header: Header, findings: Findings) -> None:
        self.header = header
        self._left = _TEXTS * findings.limits.unpacked_bytes

    def count(self, length: int, here: Findings) -> None:
        """Count a text of so many characters. Raises SubmissionInvalid where there is too much."""
        self._left -= length
        if self._left < 0 or length > here.limits.record_bytes:
            most = here.limits.record_bytes if self._left >= 0 else _TEXTS * here.limits.unpacked_bytes
            message = phrase("the messages of the log hold more than {limit}", limit=size_in_words(most))
            here.end(DocumentCode.TOO_LARGE, message)

    def attempt(self, value: Any, here: Findings) -> Attempt | None:
        """Return a sample as an attempt; report one that is none, and return None."""
        if not _is_sample(value):
            here.problem(FormatCode.DAMAGED, (), phrase("this is not a sample of inspect_ai"))
            return None
        sample = converted(value, _Sample, here)
        if sample is None:
            return None
        return _Reader(sample, self, here).attempt(_is_edited(value) or self.header.is_edited)


class _Reader:
    """The reading of one sample."""

    def __init__(self, sample: _Sample, samples: Samples, here: Findings) -> None:
        self._sample, self._samples, self._here = sample, samples, here
        self._attachments = sample.attachments or {}

    def attempt(self, is_edited: bool) -> Attempt:
        sample, header = self._sample, self._samples.header
        messages = sample.messages or []
        facts = self._facts(messages)
        is_unclear = not header.has_cached_apart and bool(facts.cached_tokens)
        ending = self._ending()
        notes = {
            FormatCode.NOT_FINISHED: header.status != "success",
            FormatCode.INVALIDATED: bool(sample.invalidation),
            FormatCode.EDITED: is_edited,
            FormatCode.CACHED_TOKENS: is_unclear,
        }
        return Attempt(
            task_id=str(sample.id),
            place=tuple(self._here.base),
            task_place=("id",),
            run=sample.epoch,
            messages=tuple(self._messages(messages)),
            ending=ending,
            answer_place=_ANSWER,
            record=self._record() or None,
            error=self._error(has_answer=bool(ending)),
            verdict=_verdict(sample.scores),
            facts=facts,
            notes=tuple(note for note, holds in notes.items() if holds),
        )

    def _ending(self) -> str:
        """Return the last text of the agent, or what it submitted by a tool; "" for none."""
        output = self._sample.output or _Output()
        # Some releases write it only into the message of the first choice.
        first = output.choices[0].message if output.choices else None
        text = self._resolved(output.completion or "") or (self._text(first.content) if first else "")
        submitted = next(self._submitted(), "")
        # By default, an agent of inspect_ai puts what it submitted behind its last text.
        return submitted if submitted and text.endswith(submitted) else text or submitted

    def _submitted(self) -> Iterator[str]:
        for message in reversed(self._sample.messages or []):
            for call in reversed(message.tool_calls or []):
                arguments = call.arguments if isinstance(call.arguments, dict) else {}
                answer = arguments.get("answer")
                if "submit" in str(call.function) and not call.parse_error and isinstance(answer, str):
                    yield self._resolved(answer)

    def _error(self, *, has_answer: bool) -> str:
        """Return what ended the sample, an error, or a limit if there is no answer, in a line."""
        error, limit = self._sample.error, self._sample.limit
        if isinstance(error, dict):
            return str(error.get("message", "")).partition("\n")[0] or "error"
        return str(limit.get("type", "limit")) if isinstance(limit, dict) and not has_answer else ""

    def _messages(self, messages: list[_Message]) -> Iterator[Message]:
        replies = {each.tool_call_id: (at, each) for at, each in enumerate(messages) if each.tool_call_id}
        for number, message in enumerate(messages):
            place = ("messages", number)
            match message.role:
                case "system" | "user":
                    yield Message(role=message.role, text=self._text(message.content), place=place)
                case "assistant":
                    yield Message(
                        role="agent",
                        text=self._text(message.content),
                        # A call that could not be parsed was not made.
                        calls=tuple(
                            self._call(call, (*place, "tool_calls", index), number, replies)
                            for index, call in enumerate(message.tool_calls or [])
                            if not call.parse_error
                        ),
                        place=place,
                    )

    def _call(
        self,
        call: _Call,
        place: tuple[str | int, ...],
        number: int,
        replies: Mapping[str, tuple[int, _Message]],
    ) -> Call:
        at, reply = replies.get(call.id or "", (number, None))
        return Call(
            name=call.function if isinstance(call.function, str) else "",
            arguments=self._with_attachments(call.arguments),
            result=self._result(reply) if reply else None,
            place=place,
            reply_place=("messages", at, "content"),
        )

    def _result(self, reply: _Message) -> Any:
        text = self._text(reply.content)
        if not reply.error:
            return text
        message = reply.error.get("message") if isinstance(reply.error, dict) else None
        return {"is_error": True, "content": text or message}

    def _text(self, content: str | list[Any] | None) -> str:
        """Return the text of a message's content: text, or a list of parts of which some are text."""
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
        resolved = [self._resolved(text) for text in texts if isinstance(text, str)]
        self._samples.count(sum(map(len, resolved)), self._here)
        return "\n".join(resolved)

    def _resolved(self, text: str) -> str:
        """Return `text`, or the text to which it refers."""
        attached = None
        if text.startswith(_ATTACHMENT):
            attached = self._attachments.get(text.removeprefix(_ATTACHMENT))
        return attached if isinstance(attached, str) else text

    def _with_attachments(self, value: Any) -> Any:
        if isinstance(value, str):
            resolved = self._resolved(value)
            self._samples.count(len(resolved), self._here)
            return resolved
        if isinstance(value, list):
            return [self._with_attachments(item) for item in value]
        if isinstance(value, dict):
            return {key: self._with_attachments(item) for key, item in value.items()}
        return value

    def _record(self) -> dict[str, Any]:
        """Return the retrieved ids. What the agent stored counts before what the data set states."""
        holders = [each for each in (self._sample.metadata, self._sample.store) if isinstance(each, dict)]
        return {name: holder[name] for holder in holders for name in _RETRIEVED if name in holder}

    def _facts(self, messages: list[_Message]) -> Facts:
        sample, header = self._sample, self._samples.header
        usage = self._usage()
        cached = usage.input_tokens_cache_read
        tokens = usage.input_tokens
        if tokens is not None and header.has_cached_apart:
            tokens += (cached or 0) + (usage.input_tokens_cache_write or 0)
        return Facts(
            input_tokens=tokens,
            cached_tokens=cached,
            output_tokens=usage.output_tokens,
            cost_usd=usage.total_cost,
            seconds=_number(sample.total_time),
            rounds=sum(each.role == "assistant" and each.source == "generate" for each in messages),
            model=header.model,
            harness=HARNESS,
            harness_version=header.release,
            temperature=header.temperature,
            started=milliseconds(sample.started_at),
            finished=milliseconds(sample.completed_at),
        )

    def _usage(self) -> _Usage:
        """Return the tokens of the model that is evaluated, not those of one that grades."""
        models = self._sample.model_usage if isinstance(self._sample.model_usage, dict) else {}
        model = self._samples.header.model or (next(iter(models)) if len(models) == 1 else "")
        return converted(models.get(model, {}), _Usage, self._here.discarded()) or _Usage()


def _is_sample(value: Any) -> bool:
    return (
        isinstance(value, dict) and type(value.get("id")) in (int, str) and type(value.get("epoch", 1)) is int
    )


def _is_edited(value: Mapping[str, Any]) -> bool:
    """Return whether a sample has a field of an edit that is not known here."""
    names = (name for name, item in value.items() if item and name not in _KNOWN)
    return any(map(_EDIT.search, names))


def _verdict(scores: Any) -> float | None:
    """Return the one score of the log; None for several, or for one that is no number."""
    score = next(iter(scores.values())) if isinstance(scores, dict) and len(scores) == 1 else None
    value = score.get("value") if isinstance(score, dict) else None
    return _VALUES.get(value) if isinstance(value, str) else _number(value)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
