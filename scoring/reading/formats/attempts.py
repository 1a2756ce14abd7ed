"""What a log says of one attempt at one task, whatever its format: the common form of all logs."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO, Literal, TypeVar

import msgspec

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.streams.json_stream import JsonStream
from wardboard.scoring.reading.streams.text_stream import head_of, text_pieces

ATTEMPT_LINES = "attempt-lines"
# The key by which a line of `encode_attempt` is known, and the version of the form.
_MARK, _VERSION = "wardboard_attempt", 1
_GZIP = b"\x1f\x8b"
# The key under which such a line names the format that the attempt was read from.
FORMAT_FIELD = "read_from"
_STATED = re.compile(rf'"{FORMAT_FIELD}":"([a-z0-9-]{{1,60}})"')
# Write escapes, because a log can contain a lone surrogate, which UTF-8 cannot encode.
_encoder = json.JSONEncoder(separators=(",", ":"))

Steps = tuple[str | int, ...]
# The place of a record in a log, and the record.
Row = tuple[Findings, Any]


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a log states of an attempt beside its messages; None or "" for what it does not state.

    - input_tokens, output_tokens: of all requests to the model; input_tokens include the cached ones
    - cost_usd: in US dollars, as the log states it
    - seconds: the time of the agent, without set-up and verification
    - rounds: turns of the model
    - started, finished: in milliseconds since 1970 (UTC)
    - began_on: the day in UTC on which its log began, where the attempt itself states no time
    - commit: of the code that ran. is_dirty: whether that was changed since
    """

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None
    rounds: int | None = None
    model: str = ""
    harness: str = ""
    harness_version: str = ""
    temperature: float | None = None
    started: int | None = None
    finished: int | None = None
    began_on: str = ""
    commit: str = ""
    is_dirty: bool | None = None


NO_FACTS = Facts()


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call of a tool. result: None if there is no reply. place, reply_place: below that of the attempt."""

    name: str
    arguments: Any = None
    result: Any = None
    place: Steps = ()
    reply_place: Steps = ()


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message of a conversation. A reply to a call is in the call.

    place: below that of the attempt. text_field: the field there that has the text
    """

    role: Literal["system", "user", "agent"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    place: Steps = ()
    text_field: str = "content"

    @property
    def text_place(self) -> Steps:
        return (*self.place, self.text_field)


class Attempt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An attempt at a task.

    - task_id: as the log states it; "" where it states none, so that only the text of the task names it
    - place: path in the log; in an archive, the name of the file comes first
    - line: of the log, where it is read line by line
    - run: number of the attempt at this task, from 1
    - messages: in order, those of one branch, none twice
    - task_place, answer_place: of the id and of the answer, below `place`
    - ending: the last text of the agent where the log states it apart from the messages, "" for none
    - answer: the answer where the log states it apart from the messages, as the harness took it
    - states_answer: whether `answer` is stated, even as None
    - history: requests that the log states in the official form, in the place of those in the messages
    - record: a record of the benchmark's own format that the log holds, or fields of one
    - error: what ended the attempt, an error or a limit, in a line; "" for nothing
    - notes: what has to be stated of it, as codes of NOTES
    - unread: the place below that of the attempt, and the name, of a part of a message that is not read
    """

    task_id: str
    place: Steps = ()
    task_place: Steps = ()
    line: int | None = None
    run: int = 1
    messages: tuple[Message, ...] = ()
    ending: str | None = None
    answer: str | None = None
    states_answer: bool = False
    answer_place: Steps = ()
    history: tuple[dict[str, str], ...] | None = None
    record: dict[str, Any] | None = None
    error: str = ""
    facts: Facts = NO_FACTS
    notes: tuple[FormatCode, ...] = ()
    unread: tuple[Steps, str] | None = None

    def here(self, findings: Findings) -> Findings:
        findings = findings.of_task(self.task_id)
        return findings.on_line(self.line).at(*self.place) if self.line else findings.at(*self.place)

    @property
    def completion(self) -> str | None:
        """The last text of the agent; None if there is none."""
        if self.ending is not None:
            return self.ending or None
        texts = (message.text for message in reversed(self.messages) if message.role == "agent")
        return next(filter(None, texts), None)

    @property
    def prompt(self) -> str:
        """The first text that is not the agent's or the system's; "" if there is none."""
        return next((message.text for message in self.messages if message.role == "user"), "")


def encode_attempt(attempt: Attempt, read_from: str = ATTEMPT_LINES) -> bytes:
    """Return `attempt` as a line, which `attempts_of_lines` reads. read_from: the name of its format."""
    head = {_MARK: _VERSION, FORMAT_FIELD: read_from}
    return _encoder.encode({**head, **msgspec.to_builtins(attempt)}).encode("ascii") + b"\n"


def are_attempt_lines(source: BinaryIO) -> bool:
    """Return whether a seekable file, plain or gzip, begins with a line that `encode_attempt` wrote."""
    beginning = f'{{"{_MARK}":'
    source.seek(0)
    first = source.read(len(beginning))
    source.seek(0)
    # Only a packed file has to be unpacked for this.
    return first == beginning.encode() or (first.startswith(_GZIP) and head_of(source).startswith(beginning))


def format_stated_by(source: BinaryIO) -> str:
    """Return the format that the first of such lines names; "" if it names none."""
    found = _STATED.search(head_of(source)[:200])
    return found[1] if found else ""


def attempts_of_lines(source: BinaryIO, findings: Findings) -> Iterator[Attempt]:
    """Yield the attempts of such lines, and report what `encode_attempt` would not have written."""
    most = findings.limits.log_bytes
    pieces = text_pieces(source, replace(findings.limits, body_bytes=most, unpacked_bytes=most))
    for here, value in JsonStream(pieces, findings).lines():
        if attempt := converted(value, Attempt, here):
            yield attempt


T = TypeVar("T")
# Where msgspec says that a value does not fit, such as `$.steps[0].message`, at the end of its message.
_PLACE = re.compile(r" - at `\$(.*)`\Z", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


def converted(value: Any, kind: type[T], here: Findings) -> T | None:
    """Return a part of a log as `kind`, a Struct with the fields that its reader needs.

    Of a value that does not fit, it reports the place, and returns None. Other fields are ignored. Half of a
    surrogate pair, which is no character, becomes U+FFFD.
    """
    try:
        try:
            return msgspec.convert(value, kind)
        except UnicodeEncodeError:
            text = json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")
            return msgspec.convert(json.loads(text.decode(errors="replace")), kind)
    except msgspec.ValidationError as error:
        what, _, _ = str(error).partition(" - at `")
        found = _PLACE.search(str(error))
        steps = [int(number) if number else name for name, number in _STEP.findall(found[1] if found else "")]
        message = phrase("the log is not of its form: {why}", why=quote(what))
        here.problem(FormatCode.DAMAGED, steps, message)
        return None
