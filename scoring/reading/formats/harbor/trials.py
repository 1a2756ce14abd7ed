"""Find the trials of Harbor in a folder: one job, or a part of one, of one agent with one model.

Source: Harbor's models of jobs and trials (harbor 0.26.0).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import msgspec

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.atif.trajectories import last_part
from wardboard.scoring.reading.formats.attempts import Facts, Steps
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.conditions import stated_in, states_differ
from wardboard.scoring.reading.formats.folders import Folder, steps_of
from wardboard.scoring.reading.formats.systems import are_several, has_several_systems
from wardboard.scoring.reading.formats.values import (
    count,
    first_text,
    instant,
    moment,
    number,
    total,
    value_at,
)
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

# Agents by which Harbor tests tasks: one copies the solution, the other does nothing.
_NO_SYSTEMS = {"oracle", "nop"}
_OF_TRIALS = {"agent", "artifacts", "steps", "user-agent", "verifier"}
RESULT = "result.json"
_LONGEST_ERROR = 1000  # characters


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The result.json of a trial, or of a job, which names no task.

    What a trial with several steps does not state of itself, its steps state. Input tokens include the cached
    ones.
    """

    schema_version: Any = None
    task_name: str | None = None
    task_id: dict[str, Any] | None = None
    agent_info: Any = None
    agent_result: Any = None
    verifier_result: Any = None
    exception_info: Any = None
    started_at: Any = None
    finished_at: Any = None
    agent_execution: Any = None
    step_results: list[Any] | None = None
    config: Any = None

    @property
    def steps(self) -> list[str]:
        return [name for step in self.step_results or () if (name := first_text(value_at(step, "step_name")))]

    @property
    def agent(self) -> str:
        return first_text(value_at(self.agent_info, "name"))

    @property
    def model(self) -> str:
        names = (first_text(value_at(self.agent_info, "model_info", key)) for key in ("provider", "name"))
        return "/".join(filter(None, names))

    @property
    def error(self) -> str:
        """The exception that ended the trial, in a line; "" for none."""
        raised = next(iter(self._stated("exception_info")), None)
        parts = (first_text(value_at(raised, f"exception_{key}")) for key in ("type", "message"))
        return ": ".join(filter(None, parts)).partition("\n")[0][:_LONGEST_ERROR]

    @property
    def reward(self) -> float | None:
        """The verdict of the verifier, or the first of several."""
        rewards = value_at(self.verifier_result, "rewards")
        rewards = rewards if isinstance(rewards, dict) else {}
        return number(rewards.get("reward", next(iter(rewards.values()), None)))

    @property
    def facts(self) -> Facts:
        used = self._stated("agent_result")
        return Facts(
            input_tokens=count(total(*(count(value_at(each, "n_input_tokens")) for each in used))),
            cached_tokens=count(total(*(count(value_at(each, "n_cache_tokens")) for each in used))),
            output_tokens=count(total(*(count(value_at(each, "n_output_tokens")) for each in used))),
            cost_usd=total(*(number(value_at(each, "cost_usd")) for each in used)),
            seconds=total(*map(_seconds, self._stated("agent_execution"))),
            model=self.model,
            harness=self.agent,
            harness_version=first_text(value_at(self.agent_info, "version")),
            started=instant(self.started_at),
            finished=instant(self.finished_at),
        )

    def _stated(self, name: str) -> list[Any]:
        """Return what it states under a name, or else what its steps state."""
        own = getattr(self, name)
        return list(
            filter(None, [own] if own else (value_at(each, name) for each in self.step_results or ()))
        )


def _seconds(timing: Any) -> float | None:
    first, last = moment(value_at(timing, "started_at")), moment(value_at(timing, "finished_at"))
    return number(last - first) if first is not None and last is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A trial. folder: its path in the archive, "" or with a slash at its end; names: of its files below."""

    folder: str
    names: Collection[str]
    result: Result

    @property
    def place(self) -> Steps:
        return steps_of(self.folder)


def folders_of_trials(names: Collection[str]) -> dict[str, set[str]]:
    """Return folder of a trial -> its files of `names`, by their paths below it."""
    known = set(names)
    folders: dict[str, set[str]] = {}
    for name in names:
        if (folder := _folder_of(name, known)) is not None:
            folders.setdefault(folder, set()).add(name[len(folder) :])
    for name in names:
        folder = name[: name.rfind("/") + 1]
        if folder in folders:
            folders[folder].add(name[len(folder) :])
    return folders


def _folder_of(name: str, names: Collection[str]) -> str | None:
    """Return the folder of the trial that a file is of; None for a file of no trial."""
    *parents, last = name.split("/")
    if last == "trial.log":
        return name.removesuffix(last)
    ends = accumulate((len(each) + 1 for each in parents), initial=0)
    found = [name[:end] for end, each in zip(ends, parents, strict=False) if each in _OF_TRIALS]
    return next((folder for folder in found if folder + RESULT in names), next(iter(found), None))


def trials_of(folder: Folder, findings: Findings) -> list[Trial]:
    """Return the trials of one system in the order of their times; [] where there are several systems.

    Trials that did not finish, and those of agents that are no system, are left out.
    """
    trials, no_systems = list[Trial](), set[str]()
    for path, names in sorted(folders_of_trials(folder.names).items()):
        result: Result | None = Result()
        if RESULT in names:
            here = findings.at(*steps_of(path + RESULT))
            result = folder.struct(path + RESULT, Result, here)
            if result and result.schema_version not in (None, 1):
                message = phrase("it is version {version}; 1 is read", version=quote(result.schema_version))
                here.problem(FormatCode.UNKNOWN_VERSION, ("schema_version",), message)
        if result is None:
            continue
        trial = Trial(folder=path, names=names, result=result)
        if result.agent in _NO_SYSTEMS:
            no_systems.add(result.agent)
            folder.left_out.append(path.rstrip("/"))
        else:
            trials.append(trial)
    if no_systems and not trials:
        agents = ", ".join(sorted(no_systems))
        message = phrase("all trials are of the agent {agents}, which is no system", agents=agents)
        findings.problem(FormatCode.NO_ATTEMPTS, (), message)
    return [] if _has_several_systems(trials, findings) else sorted(trials, key=_by_time)


def _by_time(trial: Trial) -> tuple[bool, float, str]:
    began = moment(trial.result.started_at)
    return began is None, began or 0.0, trial.folder


def _has_several_systems(trials: Sequence[Trial], findings: Findings) -> bool:
    """Return whether trials are of several agents, models or jobs, which is reported."""
    jobs: dict[str, list[str]] = {}
    for trial in trials:
        folder = trial.folder.rstrip("/")
        jobs.setdefault(folder.rpartition("/")[0], []).append(folder)
    systems = {trial.folder.rstrip("/"): (trial.result.agent, trial.result.model) for trial in trials}
    agents = {trial.folder.rstrip("/"): value_at(trial.result.config, "agent") for trial in trials}
    stated = {name: stated_in(own, ("agent",), is_setting=True) for name, own in agents.items() if own}
    return (
        has_several_systems(systems, findings)
        or states_differ(stated, findings)
        or are_several([*jobs.items()], findings)
    )


def task_of_trial(trial: Trial, findings: Findings) -> str | None:
    """Return the task that a trial names; None if it names two, or none, which is reported."""
    name = last_part(trial.result.task_name or "")
    stated = trial.result.task_id or {}
    path = stated.get("path", stated.get("name"))
    here = findings.at(*steps_of(trial.folder + RESULT))
    if not name:
        here.problem(FormatCode.TASK_UNNAMED, ("task_name",), phrase("there is no `task_name`"))
        return None
    if isinstance(path, str) and not path.rstrip("/").endswith(name):
        message = phrase("it names {tasks}", tasks=f"“{quote(name)}”, “{quote(path)}”")
        here.problem(FormatCode.TASKS_DISAGREE, ("task_id",), message)
        return None
    return name


def uneven_tasks(folder: Folder, job: str, counts: Mapping[str, int], findings: Findings) -> set[str]:
    """Return the tasks with another number of attempts than the job should make of each."""
    name = f"{job}config.json"
    config = folder.struct(name, dict[str, Any], findings.discarded()) if name in folder.names else None
    wanted = count(value_at(config, "n_attempts")) or max(counts.values(), default=0)
    return {task for task, number in counts.items() if number != wanted}
