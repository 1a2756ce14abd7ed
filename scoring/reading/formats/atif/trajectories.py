"""Read trajectories in the Agent Trajectory Interchange Format (ATIF), versions 1.0 to 1.8.

Source: Harbor's models of it (harbor 0.26.0), which accept these nine versions.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.atif.model import Placed, Trajectory, facts_of, subagents_of
from wardboard.scoring.reading.formats.atif.steps import (
    Step,
    calls_with_replies,
    replies_without_call,
)
from wardboard.scoring.reading.formats.attempts import Attempt, Call, Message, Row, Steps, converted
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.messages import text_of
from wardboard.scoring.reading.formats.values import number
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

ATIF = "atif"

_VERSION = re.compile(r"ATIF-v(\d{1,4})(?:\.(\d{1,4}))?")
_LATEST_MINOR = 8
# What agents put into `extra` for a benchmark, which reads it as a field of its own record.
_RECORD_KEYS = ("agent_fhir_resources",)
_DEEPEST = 40  # levels of agents that delegate, and parts of one trajectory


# Returns the trajectory in a file, by its name in a reference; None if it is not there.
Load = Callable[[str], Placed | None]


def is_trajectory(record: Any) -> bool:
    """Return whether `record` is a trajectory, of any version."""
    version = record.get("schema_version") if isinstance(record, dict) else None
    return isinstance(version, str) and version.startswith("ATIF-v")


def attempts_of_rows(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempt of each trajectory, those at one task as its runs."""
    return attempts_of((here, "", converted(value, Trajectory, here)) for here, value in rows)


def attempts_of(
    found: Iterable[tuple[Findings, str, Trajectory | None]],
    load: Callable[[str, str], Placed | None] = lambda *_: None,
) -> Iterator[Attempt]:
    """Yield the attempts of trajectories, each with its place and the path of its file.

    load: returns another trajectory, by the path of the one that refers to it and the name in the reference
    """
    runs = Counter[str]()
    for here, path, trajectory in found:
        if not trajectory or (named := task_of(trajectory, here, path=path)) is None:
            continue
        task_id, notes = named
        attempt = attempt_of(trajectory, (), partial(load, path))
        key = task_id or attempt.prompt
        runs[key] += 1
        yield msgspec.structs.replace(
            attempt,
            task_id=task_id,
            line=here.line,
            place=here.base,
            run=runs[key],
            notes=(*notes, *attempt.notes),
        )


def task_of(
    trajectory: Trajectory, here: Findings, *, path: str = "", known: str = ""
) -> tuple[str, tuple[FormatCode, ...]] | None:
    """Return the task that a trajectory states, "" if none, and what has to be stated of that.

    None if two places name different tasks, or it is not of version 1, which is reported. path: of its file.
    known: the task as what holds the trajectory names it.
    """
    match = _VERSION.fullmatch(trajectory.schema_version)
    if not match or match[1] != "1":
        message = phrase("it is {version}; 1.0 to 1.8 are read", version=quote(trajectory.schema_version))
        here.problem(FormatCode.UNKNOWN_VERSION, ("schema_version",), message)
        return None
    stated = [*_stated(trajectory.extra), *_stated(trajectory.agent.extra if trajectory.agent else None)]
    of_path = next(filter(None, map(_task_of_name, reversed(path.split("/")))), "")
    found = dict.fromkeys(filter(None, [known, *stated, of_path]))
    if len(found) > 1:
        message = phrase("it names {tasks}", tasks=", ".join(f"“{quote(task)}”" for task in found))
        here.problem(FormatCode.TASKS_DISAGREE, (), message)
        return None
    return next(iter(found), ""), (FormatCode.TASK_DERIVED,) if found and not known else ()


def _stated(extra: Any) -> list[str]:
    values = [extra.get(key) for key in ("task_id", "task_name")] if isinstance(extra, dict) else []
    return [last_part(value) for value in values if isinstance(value, str) and value]


def last_part(task: str) -> str:
    """Return the name of a task without that of its organisation: `task5_2` of `org/task5_2`."""
    return task.rstrip("/").rpartition("/")[2]


def _task_of_name(name: str) -> str:
    """Return the task in the name of a trial, such as task5_2__k3vQ2aa; "" if it names none.

    Harbor cuts a long task off at 32 characters, and names a job after its time.
    """
    task, mark, _ = name.partition("__")
    return task if mark and len(task) < 32 and not re.fullmatch(r"\d{4}-\d\d-\d\d", task) else ""


def attempt_of(first: Trajectory, place: Steps, load: Load = lambda _: None) -> Attempt:
    """Return the attempt of a trajectory, as far as the trajectory states it.

    place: the path to it from that of the attempt. load: returns other trajectories that it refers to.
    """
    reader = _Reader(load)
    parts = reader.parts(first, place)
    messages = tuple(reader.messages(parts))
    match = _VERSION.fullmatch(first.schema_version)
    if match and int(match[2] or 0) > _LATEST_MINOR:
        reader.notes.add(FormatCode.NEWER_VERSION)
    if reader.is_cut:
        reader.notes.add(FormatCode.INCOMPLETE)
    extra = first.extra if isinstance(first.extra, dict) else {}
    if number(extra.get("reward")) is not None:
        reader.notes.add(FormatCode.VERDICT_UNUSED)
    return Attempt(
        task_id="",
        messages=messages,
        # The last text of a part is not the last of the attempt.
        states_answer=reader.is_cut,
        record={key: extra[key] for key in _RECORD_KEYS if key in extra} or None,
        facts=facts_of([trajectory for _, trajectory in parts]),
        notes=tuple(sorted(reader.notes)),
    )


@dataclass
class _Reader:
    """Follows the references of one trajectory. is_cut: whether its continuation is not there."""

    load: Load
    notes: set[FormatCode] = field(default_factory=set)
    is_cut: bool = False
    _embedded: dict[str, Placed] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def parts(self, first: Trajectory, place: Steps) -> list[Placed]:
        """Return a trajectory and what continues it."""
        parts, seen = [(place, first)], set[str]()
        while (name := parts[-1][1].continued_trajectory_ref) is not None:
            following = None if name in seen or len(parts) == _DEEPEST else self.load(name)
            if following is None:
                self.is_cut = True
                break
            seen.add(name)
            parts.append(following)
        return parts

    def messages(self, parts: Sequence[Placed]) -> Iterator[Message]:
        """Yield the messages of all parts, with the calls of subagents where they were delegated.

        Those of subagents to which nothing refers come last.
        """
        for part_number, (place, trajectory) in enumerate(parts):
            for index, (below, subagent) in enumerate(subagents_of(place, trajectory)):
                self._embedded.setdefault(subagent.trajectory_id or f"{place} {index}", (below, subagent))
            for step_number, step in enumerate(trajectory.steps):
                at = (*place, "steps", step_number)
                # A part that continues another begins with steps of that one.
                if step.is_copied_context and (part_number or step.source == "agent"):
                    continue
                yield from self._of_step(step, at)
        for key, (place, subagent) in self._embedded.items():
            if key not in self._used and (calls := tuple(self._calls_of(key, subagent, place, 0))):
                self.notes.add(FormatCode.ORDER_UNKNOWN)
                yield Message(role="agent", calls=calls, place=place)

    def _of_step(self, step: Step, at: Steps) -> Iterator[Message]:
        text = text_of(step.message)
        if step.source != "agent":
            role: Any = "system" if step.source == "system" else "user"
            yield Message(role=role, text=text, place=at, text_field="message")
            if calls := tuple(self._calls(step, at, 0)):
                yield Message(role="agent", calls=calls, place=at)
            return
        calls = tuple(self._calls(step, at, 0))
        yield Message(role="agent", text=text, calls=calls, place=at, text_field="message")
        for place, reply in replies_without_call(step, at):
            yield Message(role="user", text=reply, place=place)

    def _calls(self, step: Step, at: Steps, level: int) -> Iterator[Call]:
        """Yield the calls of a step, each with those of the subagents to which it delegated."""
        for call, references in calls_with_replies(step, at):
            if call:
                yield call
            for reference in references:
                key = reference.trajectory_id or ""
                if (found := self._embedded.get(key)) is None:
                    key = reference.trajectory_path or key
                if key in self._used:
                    continue
                if found is None and reference.trajectory_path:
                    found = self.load(key)
                if found is None or level == _DEEPEST:
                    self.notes.add(FormatCode.INCOMPLETE)
                else:
                    yield from self._calls_of(key, found[1], found[0], level)

    def _calls_of(self, key: str, subagent: Trajectory, place: Steps, level: int) -> Iterator[Call]:
        self._used.add(key)
        for step_number, step in enumerate(subagent.steps):
            if not step.is_copied_context:
                yield from self._calls(step, (*place, "steps", step_number), level + 1)
