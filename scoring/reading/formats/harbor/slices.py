"""Read trials of Harbor that hold many tasks each: a slice of a benchmark, whose rows the agent fills in.

The agent copies each payload that it sent into its row, so addresses and replies are derived. Source: the
task `medagentbench` of HealthAgentBench, whose file is `submission.json`, and that of its verifier
`meta_results.json`. The rows can hold the reference (`sol`), which is never read.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, Call, Facts, Message, Steps
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.folders import Folder, steps_of
from wardboard.scoring.reading.formats.harbor.trials import Trial, folders_of_trials, trials_of
from wardboard.scoring.reading.formats.values import decoded
from wardboard.scoring.reading.messages import phrase

HARBOR_SLICES = "harbor-meta-task"

_SUBMISSION, _VERDICTS = "/submission.json", "verifier/meta_results.json"
# What the helper that the agents are given prints for every POST.
_REPLY = "POST request accepted (simulated)"


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """A row of either file; success: the verdict of the verifier."""

    id: str | None = None
    task_id: str | None = None
    final_answer: Any = None
    payload: Any = None
    success: Any = None

    @property
    def task(self) -> str:
        return self.task_id or self.id or ""


class _Rows(msgspec.Struct, frozen=True, kw_only=True):
    results: list[_Row]


def is_slice(folder: Folder) -> bool:
    """Return whether files are of trials with many tasks, by their names."""
    return any(map(_rows_file, folders_of_trials(folder.names).values()))


def _rows_file(names: Collection[str]) -> str:
    """Return the file of a trial with its rows, by its path below it; "" if there is none."""
    submissions = sorted(n for n in names if n.startswith("artifacts/") and n.endswith(_SUBMISSION))
    return submissions[0] if submissions else _VERDICTS if _VERDICTS in names else ""


def attempts_of_slices(folder: Folder, findings: Findings) -> Iterator[Attempt]:
    """Yield the attempts in the rows of all trials; those at one task are its runs. Raises Unreadable."""
    runs = Counter[str]()
    for trial in trials_of(folder, findings):
        name = _rows_file(trial.names)
        if not name:
            folder.left_out.append(trial.folder.rstrip("/"))
            continue
        here = findings.at(*steps_of(trial.folder + name))
        steps, rows = _rows(folder, trial.folder + name, here)
        verdicts = {}
        if name != _VERDICTS and _VERDICTS in trial.names:
            _, verified = _rows(folder, trial.folder + _VERDICTS, findings.discarded())
            verdicts = {row.task: row.success for row in verified}
        for number, row in enumerate(rows):
            findings.check_time()
            place = (*steps, number)
            if not row.task:
                here.problem(FormatCode.TASK_UNNAMED, place, phrase("the row has no `id`"))
                continue
            runs[row.task] += 1
            attempt = _attempt(row, verdicts.get(row.task, row.success), trial, (*here.base, *place))
            yield msgspec.structs.replace(attempt, run=runs[row.task])


def _rows(folder: Folder, name: str, here: Findings) -> tuple[Steps, Sequence[_Row]]:
    """Return the path to the rows of a file, and these; none of a malformed file, which is reported."""
    found: Any = folder.struct(name, _Rows | list[_Row], here)
    return (("results",), found.results) if isinstance(found, _Rows) else ((), found or ())


def _attempt(row: _Row, success: Any, trial: Trial, place: Steps) -> Attempt:
    answer, notes = _answer(row.final_answer)
    payloads = row.payload if isinstance(row.payload, list) else [row.payload]
    calls = [
        Call(name="post", arguments={"payload": payload}, result=_REPLY, place=at, reply_place=at)
        for number, payload in enumerate(payloads)
        if payload is not None
        for at in [("payload", number) if isinstance(row.payload, list) else ("payload",)]
    ]
    if calls:
        notes.append(FormatCode.POST_SIMULATED)
    elif answer is None:
        notes.append(FormatCode.ROWS_UNTOUCHED)
    if isinstance(success, bool):
        notes.append(FormatCode.VERDICT_UNUSED)
    stated = trial.result.facts
    return Attempt(
        task_id=row.task,
        place=place,
        messages=(Message(role="agent", calls=tuple(calls)),) if calls else (),
        answer=answer,
        states_answer=True,
        answer_place=("final_answer",),
        history=None if calls else (),
        error="" if calls or answer is not None else trial.result.error,
        # Tokens, cost and time are those of all its tasks together.
        facts=Facts(
            model=stated.model,
            harness=stated.harness,
            harness_version=stated.harness_version,
            finished=stated.finished,
        ),
        notes=tuple(notes),
    )


def _answer(stated: Any) -> tuple[str | None, list[FormatCode]]:
    """Return an answer as JSON of a list, and what has to be stated of that; None for no answer."""
    value = decoded(stated) if isinstance(stated, str) else stated
    if isinstance(value, list):
        return stated if isinstance(stated, str) else json.dumps(value), []
    if isinstance(stated, str) and (isinstance(value, bool) or not isinstance(value, (int, float))):
        value = stated
    if value is None or value == "":
        return None, []
    return json.dumps([value]), [FormatCode.ANSWER_CONVERTED]
