"""The samples of a log of inspect_ai, whichever of its two formats it has, and the texts in them.

Source: inspect_ai, EvalLog and EvalSample, version 2.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from scoring.reading.collector import Findings, Unreadable
from scoring.reading.documents import size as size_in_words
from scoring.reading.inspect_logs.codes import LogCode
from scoring.reading.inspect_logs.eval_file import Row, eval_rows
from scoring.reading.messages import phrase
from scoring.reading.problems import quote

INSPECT_LOG = "inspect-log"
_VERSION = 2
_ATTACHMENT = "attachment://"
_MOST_EPOCHS = 5  # epochs that a message names
_CHECK_EVERY = 1000  # samples
_TEXTS = 4  # how many times the size of an unpacked file the texts of messages may have
_REQUIRED = {"eval", "plan"}


@dataclass(slots=True)
class _Texts:
    """The length that the texts of all messages of a log may still have together. left: in characters.

    A reference of a few bytes stands for a text of any length, and as often as the log likes.
    """

    left: int

    def joined(self, texts: list[str], here: Findings) -> str:
        """Return the parts of a text as one, and count it. Raises SubmissionInvalid."""
        length = sum(map(len, texts))
        self.left -= length
        if self.left < 0 or length > here.limits.record_bytes:
            most = here.limits.record_bytes if self.left >= 0 else _TEXTS * here.limits.unpacked_bytes
            message = phrase("the messages of the log hold more than {limit}", limit=size_in_words(most))
            here.end(LogCode.TOO_LARGE, message)
        return "\n".join(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample of a log. id: as the data set has it, as text. value: all of it. here: its place.

    texts: what the messages of the log may still hold
    """

    id: str
    value: Mapping[str, Any]
    here: Findings
    texts: _Texts

    @property
    def completion(self) -> str | None:
        """The last text of the agent; None if there is none."""
        output = self.value.get("output")
        if not isinstance(output, dict):
            return None
        completion = output.get("completion")
        if not isinstance(completion, str) or not completion:
            # Some releases write it only into the message of the first choice.
            choices = output.get("choices")
            first = choices[0] if isinstance(choices, list) and choices else None
            message = first.get("message") if isinstance(first, dict) else None
            completion = self.text(message.get("content")) if isinstance(message, dict) else None
        return self._resolved(completion) or None

    @property
    def messages(self) -> list[Any]:
        """The messages of the sample, of any type."""
        messages = self.value.get("messages")
        return messages if isinstance(messages, list) else []

    @property
    def resolved_messages(self) -> list[Any]:
        """The messages, with the texts that their contents refer to, which a reader has to cut itself."""
        return [self._with_texts(message, "content") for message in self.messages]

    def _with_texts(self, value: Any, field: str) -> Any:
        content = value.get(field) if isinstance(value, dict) else None
        if isinstance(content, str):
            return {**value, field: self._resolved(content)}
        if isinstance(content, list):
            return {**value, field: [self._with_texts(part, "text") for part in content]}
        return value

    @property
    def ended_by(self) -> str:
        """What ended the sample early, an error or a limit, in a word or a line; "" for nothing."""
        error, limit = self.value.get("error"), self.value.get("limit")
        if isinstance(error, dict):
            return str(error.get("message", "")).partition("\n")[0] or "error"
        if isinstance(limit, dict):
            return str(limit.get("type", "limit"))
        return ""

    def text(self, content: Any) -> str:
        """Return the text of a message's content: text, or a list of parts of which some are text."""
        if isinstance(content, str):
            return self.texts.joined([self._resolved(content) or ""], self.here)
        parts = content if isinstance(content, list) else []
        texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
        resolved = [self._resolved(text) or "" for text in texts if isinstance(text, str)]
        return self.texts.joined(resolved, self.here)

    def _resolved(self, text: str | None) -> str | None:
        """Return `text`, or the text to which it refers."""
        attachments = self.value.get("attachments")
        if text is None or not text.startswith(_ATTACHMENT) or not isinstance(attachments, dict):
            return text
        attached = attachments.get(text.removeprefix(_ATTACHMENT))
        return attached if isinstance(attached, str) else text


def is_inspect_log(document: Any) -> bool:
    """Return whether a JSON document has the members of a log of inspect_ai."""
    return isinstance(document, dict) and (
        document.keys() >= _REQUIRED or document.keys() >= {"eval", "samples"}
    )


def samples_of_document(document: Mapping[str, Any], findings: Findings) -> Iterator[Sample]:
    """Yield the samples of a log in JSON, for which `is_inspect_log`, as `samples_of_file` does."""
    samples = document.get("samples")
    rows = samples if isinstance(samples, list) else []
    header: list[Row] = [(findings, document)]
    return _samples(
        [*header, *((findings.at("samples", i), value) for i, value in enumerate(rows))], findings
    )


def samples_of_file(source: BinaryIO, findings: Findings) -> Iterator[Sample]:
    """Yield the samples of a seekable `.eval` file, for which `is_eval_log`.

    It yields the samples of the first epoch only. At the end, it adds the remarks on the whole log to
    `findings`, which ends the reading only where nothing can be read on.
    """
    return _samples(eval_rows(source, findings), findings)


def _samples(rows: Iterable[Row], findings: Findings) -> Iterator[Sample]:
    # A dictionary keeps the order of the log, and finds an epoch faster than a list among a million samples.
    epochs: dict[int, None] = {}
    texts = _Texts(_TEXTS * findings.limits.unpacked_bytes)
    first = None
    try:
        for number, (here, value) in enumerate(rows):
            if number % _CHECK_EVERY == 0:
                findings.check_time()
            if number == 0:
                _check_header(value, findings)
                continue
            sample_id, epoch = _identity(value)
            if sample_id is None or epoch is None:
                here.problem(LogCode.SAMPLE_INVALID, (), phrase("this is not a sample of inspect_ai"))
                continue
            first = epoch if first is None else first
            epochs[epoch] = None
            if epoch == first:
                yield Sample(id=sample_id, value=value, here=here, texts=texts)
    except Unreadable as error:
        findings.add_problem(error.problem)
        return
    if len(epochs) > 1:
        named = ", ".join(str(epoch) for epoch in sorted(epochs)[:_MOST_EPOCHS])
        named += ", …" if len(epochs) > _MOST_EPOCHS else ""
        message = phrase("the log holds {count:,} epochs: {named}", count=len(epochs), named=named)
        findings.problem(LogCode.EPOCHS, ("samples",), message)
    if not epochs and not findings.problems:
        findings.problem(LogCode.NO_SAMPLES, ("samples",), phrase("the log holds no samples"))


def _identity(value: Any) -> tuple[str | None, int | None]:
    """Return the id and the epoch of a sample; None for what it lacks."""
    if not isinstance(value, dict):
        return None, None
    sample_id, epoch = value.get("id"), value.get("epoch", 1)
    # A data set without ids numbers its samples.
    text = str(sample_id) if type(sample_id) is int else sample_id
    return text if isinstance(text, str) else None, epoch if type(epoch) is int else None


def _check_header(header: Any, findings: Findings) -> None:
    if not isinstance(header, dict):
        if not findings.problems:
            raise Unreadable(LogCode.DAMAGED, phrase("the log has no header"))
        return
    version = header.get("version")
    if version != _VERSION:
        message = phrase("the log has version “{version}”", version=quote(version))
        raise Unreadable(LogCode.VERSION, message, steps=("version",))
    # What is missing in `_journal/start.json` is the status.
    status = header.get("status", "started")
    if status != "success":
        message = phrase("the status of the log is “{status}”", status=quote(status))
        findings.warning_first(LogCode.NOT_FINISHED, ("status",), message)
