"""Read the folder of a job of Harbor: the trials of a task, in the order of their times, are its runs.

Source: Harbor's layout of jobs (harbor 0.26.0), and its adapter of MedAgentBench, whose verifier grades
`artifacts/workspace/answer.json`: an answer, and the POSTs that were accepted.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.atif.model import Placed, Trajectory
from wardboard.scoring.reading.formats.atif.trajectories import attempt_of, task_of
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Message, Steps
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.folders import Folder, steps_of
from wardboard.scoring.reading.formats.harbor.trials import (
    RESULT,
    Trial,
    folders_of_trials,
    task_of_trial,
    trials_of,
    uneven_tasks,
)

HARBOR_JOB = "harbor-job"

_ANSWER = "/answer.json"
_TRANSCRIPT = "medagentbench-parity-agent.json"
_TRAJECTORY = "trajectory.json"


class _Item(msgspec.Struct, frozen=True, kw_only=True):
    role: Literal["agent", "user"]
    content: str


class _AnswerFile(msgspec.Struct, frozen=True, kw_only=True):
    result: Any = None
    history: list[_Item] | None = None


class _Transcript(msgspec.Struct, frozen=True, kw_only=True):
    transcript: list[_Item] | None = None
    answer_payload: Any = None


def is_job(folder: Folder) -> bool:
    """Return whether files are of trials of Harbor, by their names."""
    return any(RESULT in names for names in folders_of_trials(folder.names).values())


def attempts_of_job(folder: Folder, findings: Findings) -> Iterator[Attempt]:
    """Yield the attempts of a job, or of single trials of one. Raises Unreadable."""
    found: list[tuple[str, Trial]] = []
    for trial in trials_of(folder, findings):
        if RESULT not in trial.names:
            # It was stopped, so it is no attempt that failed.
            folder.left_out.append(trial.folder.rstrip("/"))
        elif task := task_of_trial(trial, findings):
            found.append((task, trial))
    counts = Counter(task for task, _ in found)
    jobs = {trial.folder.rstrip("/").rpartition("/") for _, trial in found}
    job = "".join(next(iter(jobs))[:2]) if jobs else ""
    uneven = uneven_tasks(folder, job, counts, findings)
    runs = Counter[str]()
    for task, trial in found:
        findings.check_time()
        runs[task] += 1
        attempt = _Reader(folder, trial, findings).attempt(task)
        if attempt is None:
            continue
        notes = (FormatCode.UNEVEN_ATTEMPTS,) if task in uneven else ()
        yield msgspec.structs.replace(attempt, run=runs[task], notes=(*attempt.notes, *notes))


class _Reader:
    """Reads what a trial wrote: its answer file first, then what the agent recorded."""

    def __init__(self, folder: Folder, trial: Trial, findings: Findings) -> None:
        self._folder, self._trial, self._findings = folder, trial, findings
        steps = [f"steps/{name}/" for name in dict.fromkeys(trial.result.steps)]
        self._steps = steps if any(name.startswith("steps/") for name in trial.names) else [""]
        self._notes: list[FormatCode] = []
        self._answers = defaultdict[str, list[str]](list)
        for name in trial.names:
            step, artifacts, _ = name.partition("artifacts/")
            if artifacts and name.endswith(_ANSWER):
                self._answers[step].append(name)

    def attempt(self, task: str) -> Attempt | None:
        """Return the attempt; None if its parts name different tasks, which is reported."""
        messages, traced = list[Message](), list[Attempt]()
        answer: _AnswerFile | None = None
        answer_place: Steps = ()
        payload: Any = None
        for step in self._steps:
            if (trace := self._trajectory(step, task)) is None:
                return None
            traced.append(trace)
            name = f"{step}agent/{_TRANSCRIPT}"
            transcript = self._read(name, _Transcript) if name in self._trial.names else None
            messages += self._texts(step, transcript) if transcript else trace.messages
            payload = transcript.answer_payload if transcript else payload
            # There may be several, of which none is taken.
            if len(names := self._answers.get(step, [])) == 1:
                # An agent that wrote anything else into the file has not answered.
                answer = self._read(names[0], _AnswerFile) or _AnswerFile()
                answer_place = (*steps_of(names[0]), "result")
        if answer is None and payload is not None:
            # The adapter's own agent records it alone, or as in the answer file.
            is_file = isinstance(payload, dict) and "result" in payload
            answer = _AnswerFile(result=payload["result"] if is_file else payload)
        result, last = self._trial.result, traced[-1]
        if result.reward is not None:
            self._notes.append(FormatCode.VERDICT_UNUSED)
        history = answer.history if answer else None
        return Attempt(
            task_id=task,
            place=self._trial.place,
            messages=tuple(messages),
            answer=_as_text(answer.result) if answer else None,
            states_answer=answer is not None or last.states_answer,
            answer_place=answer_place,
            history=None if history is None else tuple(map(msgspec.to_builtins, history)),
            record=next(filter(None, (trace.record for trace in reversed(traced))), None),
            error=result.error,
            facts=_facts(result.facts, [trace.facts for trace in traced]),
            notes=tuple(dict.fromkeys([*self._notes, *(note for each in traced for note in each.notes)])),
        )

    def _read(self, name: str, kind: Any) -> Any:
        """Return a file that the agent wrote, as `kind`; None, with a note, for a malformed one."""
        value = self._folder.struct(self._trial.folder + name, kind, self._findings.discarded())
        if value is None:
            self._notes.append(FormatCode.PART_UNREADABLE)
        return value

    def _texts(self, step: str, transcript: _Transcript) -> Iterator[Message]:
        place = (*steps_of(f"{step}agent/{_TRANSCRIPT}"), "transcript")
        for index, item in enumerate(transcript.transcript or ()):
            yield Message(role=item.role, text=item.content, place=(*place, index))

    def _trajectory(self, step: str, task: str) -> Attempt | None:
        """Return what the trajectory of a step states; None if it is of another task, which is reported."""
        found = self._load(f"{step}agent/", _TRAJECTORY)
        if found is None:
            return Attempt(task_id="")
        place, trajectory = found
        if task_of(trajectory, self._findings.at(*self._trial.place, *place), known=task) is None:
            return None
        return attempt_of(trajectory, place, lambda name: self._load(f"{step}agent/", name))

    def _load(self, parent: str, name: str) -> Placed | None:
        path = parent + name
        if path not in self._trial.names:
            return None
        trajectory = self._read(path, Trajectory)
        return (steps_of(path), trajectory) if trajectory else None


def _as_text(result: Any) -> str | None:
    """Return an answer as the official harness has it: text, which for a list is its JSON."""
    return result if result is None or isinstance(result, str) else json.dumps(result)


def _facts(stated: Facts, traced: list[Facts]) -> Facts:
    """Return the facts of a trial, those that it does not state from its trajectories."""
    known = [facts for facts in traced if facts.rounds is not None]
    one = traced[0] if len(traced) == 1 else Facts()
    names = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")
    source = stated if any(getattr(stated, name) is not None for name in names) else one
    return msgspec.structs.replace(
        stated,
        **{name: getattr(source, name) for name in names},
        rounds=sum(facts.rounds or 0 for facts in known) if known else None,
        model=stated.model or one.model,
    )
