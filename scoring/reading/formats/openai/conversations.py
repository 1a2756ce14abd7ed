"""Conversations in a log of requests: joined from the lines that hold parts of them, and counted as runs."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.messages import Placed, read_messages, role_of, text_of
from wardboard.scoring.reading.formats.openai.parts import CONTENTS, content_of
from wardboard.scoring.reading.formats.systems import listed
from wardboard.scoring.reading.formats.values import digest, total, value_at
from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.reading.messages import Phrase, phrase

_MOST_HELD = 32 * MIB  # characters of conversations that may still go on
_COMPARED = (
    *("role", *CONTENTS, "tool_calls", "function_call", "tool_call_id"),
    *("call_id", "name", "arguments", "input", "output", "action"),
)
_OF_COPIES = ("messages", "facts", "response", "error")  # the same in two lines that are copies


@dataclass(slots=True, kw_only=True)
class Conversation:
    """What the lines of a log hold of a conversation so far.

    - task_id: "" if only the text names the task
    - messages: in the form of `read_messages`
    - counts_rounds: whether each message of the agent is a turn of the model
    - has_tools: whether the agent could use tools; without them, the log holds no history
    - response, follows: ids of its last response, and of the one that it follows
    - has_said: whether one of the messages is not of a user or the system
    """

    here: Findings
    task_id: str
    messages: list[Placed]
    facts: Facts
    counts_rounds: bool = True
    has_tools: bool = True
    response: str = ""
    follows: str = ""
    error: str = ""
    notes: tuple[FormatCode, ...] = ()
    length: int = field(init=False)
    has_said: bool = field(init=False)

    def __post_init__(self) -> None:
        self.length = sum(len(repr(message)) for _, message in self.messages)
        self.has_said = any(role_of(message) in ("agent", None) for _, message in self.messages if message)

    @property
    def task(self) -> str:
        """What names the task: its id, or else a digest of its text; the place for a conversation without."""
        users = (message for _, message in self.messages if value_at(message, "role") == "user")
        text = next(filter(None, (text_of(content_of(message)[1]) for message in users)), "")
        return self.task_id or (digest(text) if text else f"at {self.here.line} {self.here.base}")

    @property
    def has_failed(self) -> bool:
        """Whether it ended with an error before the agent said anything."""
        return bool(self.error) and not self.has_said

    def begins_like(self, earlier: "Conversation") -> bool:
        """Return whether it has all messages of `earlier` at its beginning, and more."""
        return len(self.messages) > len(earlier.messages) > 0 and all(
            (value_at(old, key) or None) == (value_at(new, key) or None)
            for (_, old), (_, new) in zip(earlier.messages, self.messages, strict=False)
            for key in _COMPARED
        )

    def attempt(self, run: int) -> Attempt:
        conversation = read_messages(self.messages)
        rounds = self.counts_rounds and sum(message.role == "agent" for message in conversation.messages)
        return conversation.attempt(
            task_id=self.task_id,
            place=self.here.base,
            line=self.here.line,
            run=run,
            history=None if self.has_tools else (),
            error=self.error,
            facts=msgspec.structs.replace(self.facts, rounds=rounds or None),
            notes=self.notes if self.has_tools else (*self.notes, FormatCode.SINGLE_TURN),
        )


class Conversations:
    """The conversations of a log whose lines may each hold a part: one request and all that came before it.

    A line goes on with an earlier one if it has all of its messages, or names its response as the one that
    it follows. Any other line of the same task is another run.
    """

    def __init__(self) -> None:
        # The first of a dict is behind all that were taken out of it; that of an OrderedDict is not.
        self._held = OrderedDict[str, Conversation]()
        self._length = 0
        self._task_of: dict[str, str] = {}
        self._runs: Counter[str] = Counter()
        self._models: dict[str, str] = {}

    def attempts(self, lines: Iterable[Conversation]) -> Iterator[Attempt]:
        """Yield the conversations in the lines of a log, each once it is complete."""
        for line in lines:
            yield from self._add(line)
        for task, conversation in self._held.items():
            yield self._attempt(task, conversation)

    def _add(self, line: Conversation) -> Iterator[Attempt]:
        task = self._task_of.get(line.follows) or line.task
        held = self._held.get(task)
        self._length -= held.length if held else 0
        if held and line.follows and line.follows == held.response:
            line = _followed(held, line)
        elif held and line.begins_like(held):
            line.facts = _added(held.facts, line.facts)
        elif held and all(getattr(held, name) == getattr(line, name) for name in _OF_COPIES):
            # A run that is resumed writes it again.
            line.notes = held.notes
        elif held and (held.has_failed or line.has_failed):
            # A later error of a resumed run undoes no answer.
            line = held if line.has_failed else line
            line.notes = (*dict.fromkeys((*line.notes, FormatCode.SUPERSEDED)),)
        else:
            if held:
                yield self._attempt(task, held)
            if line.follows:
                line.notes = (*line.notes, FormatCode.INCOMPLETE)
        self._held[task] = line
        self._length += line.length
        if line.response:
            self._task_of[line.response] = task
        while self._length > _MOST_HELD and len(self._held) > 1:
            oldest, conversation = self._held.popitem(last=False)
            self._length -= conversation.length
            yield self._attempt(oldest, conversation)

    def _attempt(self, task: str, conversation: Conversation) -> Attempt:
        self._runs[task] += 1
        model, here = conversation.facts.model, conversation.here
        first = self._models.setdefault(task, model)
        # Runs of a task are of one system; one task shows it.
        if first and model not in ("", first) and not here.problems:
            message = phrase("there are several agents or models: {names}", names=listed([first, model]))
            here.problem(FormatCode.SEVERAL_SYSTEMS, (), message)
        return conversation.attempt(self._runs[task])


def read_lines(
    rows: Iterable[Row],
    is_line: Callable[[Any], bool],
    conversation: Callable[[Any, Findings], Conversation | None],
    refusal: Phrase,
) -> Iterator[Attempt]:
    """Yield the attempts of lines for which `is_line`. conversation: returns None for one that it reports."""

    def lines() -> Iterator[Conversation]:
        for here, record in rows:
            if not is_line(record):
                here.problem(FormatCode.DAMAGED, (), refusal)
            elif line := conversation(record, here):
                yield line

    return Conversations().attempts(lines())


def _followed(earlier: Conversation, line: Conversation) -> Conversation:
    """Return the earlier part with the later one at its end, whose messages have no place on its line."""
    earlier.messages += (((), message) for _, message in line.messages)
    earlier.length += line.length
    earlier.has_said = earlier.has_said or line.has_said
    earlier.task_id = earlier.task_id or line.task_id
    earlier.facts = _added(earlier.facts, line.facts)
    earlier.notes = (*dict.fromkeys((*earlier.notes, *line.notes)),)
    earlier.response, earlier.error = line.response, line.error
    return earlier


def _added(earlier: Facts, later: Facts) -> Facts:
    """Return the facts of two requests together."""
    sums = {
        name: total(getattr(earlier, name), getattr(later, name))
        for name in ("input_tokens", "cached_tokens", "output_tokens")
    }
    return msgspec.structs.replace(later, **sums)
