"""Find the trials of Harbor in a folder: one job, or a part of one, of one agent with one model.

Source: Harbor's models of jobs and trials (harbor 0.26.0).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.atif.steps import count, milliseconds, moment, number
from wardboard.scoring.reading.formats.atif.trajectories import last_part
from wardboard.scoring.reading.formats.attempts import Facts, Steps
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.folders import Folder, steps_of
from wardboard.scoring.reading.formats.systems import has_several_systems, listed
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

# Agents by which Harbor tests tasks: one copies the solution, the other does nothing.
_NO_SYSTEMS = {"oracle", "nop"}
_OF_TRIALS = {"agent", "artifacts", "steps", "user-agent", "verifier"}
RESULT = "result.json"
_LONGEST_ERROR = 1000  # characters


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """When a part of a trial began and ended."""

    started_at: str | None = None
    finished_at: str | None = None

    @property
    def seconds(self) -> float | None:
        first, last = moment(self.started_at), moment(self.finished_at)
        return last - first if first is not None and last is not None and last >= first else None


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent used; n_input_tokens include the cached ones."""

    n_input_tokens: Any = None
    n_cache_tokens: Any = None
    n_output_tokens: Any = None
    cost_usd: Any = None


class Raised(msgspec.Struct, frozen=True, kw_only=True):
    """An exception that ended a trial, or one of its steps."""

    exception_type: str | None = None
    exception_message: str | None = None


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """The model of an agent."""

    name: str | None = None
    provider: str | None = None


class AgentInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The agent of a trial."""

    name: str | None = None
    version: str | None = None
    model_info: Model | None = None

    @property
    def model(self) -> str:
        parts = (self.model_info.provider, self.model_info.name) if self.model_info else ()
        return "/".join(filter(None, parts))


class Verifier(msgspec.Struct, frozen=True, kw_only=True):
    """What the verifier of a task gave."""

    rewards: dict[str, Any] | None = None


class StepResult(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a trial that has several."""

    step_name: str | None = None
    agent_result: Usage | None = None
    exception_info: Raised | None = None
    agent_execution: Timing | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The result.json of a trial, or of a job, which names no task."""

    schema_version: Any = None
    task_name: str | None = None
    task_id: dict[str, Any] | None = None
    agent_info: AgentInfo | None = None
    agent_result: Usage | None = None
    verifier_result: Verifier | None = None
    exception_info: Raised | None = None
    started_at: str | None = None
    finished_at: str | None = None
    agent_execution: Timing | None = None
    step_results: list[StepResult] | None = None

    @property
    def agent(self) -> AgentInfo:
        return self.agent_info or AgentInfo()

    @property
    def steps(self) -> Sequence[StepResult]:
        return self.step_results or ()

    @property
    def error(self) -> str:
        """The exception that ended the trial, in a line; "" for none."""
        raised = self.exception_info or next(filter(None, (step.exception_info for step in self.steps)), None)
        parts = (raised.exception_type, raised.exception_message) if raised else ()
        return ": ".join(filter(None, parts)).partition("\n")[0][:_LONGEST_ERROR]

    @property
    def reward(self) -> float | None:
        """The verdict of the verifier, or the first of several."""
        rewards = (self.verifier_result.rewards if self.verifier_result else None) or {}
        return number(rewards.get("reward", next(iter(rewards.values()), None)))

    @property
    def facts(self) -> Facts:
        usages = [self.agent_result] if self.agent_result else [step.agent_result for step in self.steps]
        used = [usage for usage in usages if usage]
        timings = [self.agent_execution] if self.agent_execution else [s.agent_execution for s in self.steps]
        return Facts(
            input_tokens=_sum(count, (usage.n_input_tokens for usage in used)),
            cached_tokens=_sum(count, (usage.n_cache_tokens for usage in used)),
            output_tokens=_sum(count, (usage.n_output_tokens for usage in used)),
            cost_usd=_sum(number, (usage.cost_usd for usage in used)),
            seconds=_sum(number, (timing.seconds for timing in timings if timing)),
            model=self.agent.model,
            harness=self.agent.name or "",
            harness_version=self.agent.version or "",
            started=milliseconds(self.started_at),
            finished=milliseconds(self.finished_at),
        )


def _sum(read: Callable[[Any], Any], values: Iterator[Any]) -> Any:
    """Return the sum of the values that are known; None if none is."""
    known = [value for value in map(read, values) if value is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A trial. folder: its path in the archive, "" or with a slash at its end; names: of its files below."""

    folder: str
    names: Collection[str]
    result: Result

    @property
    def place(self) -> Steps:
        return steps_of(self.folder)


class _JobConfig(msgspec.Struct, frozen=True, kw_only=True):
    n_attempts: Any = None


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
    found = ["".join(f"{each}/" for each in parents[:at]) for at, p in enumerate(parents) if p in _OF_TRIALS]
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
        if result.agent.name in _NO_SYSTEMS:
            no_systems.add(result.agent.name or "")
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
    systems = dict.fromkeys((trial.result.agent.name or "", trial.result.agent.model) for trial in trials)
    jobs = dict.fromkeys(trial.folder.rstrip("/").rpartition("/")[0] for trial in trials)
    if has_several_systems(systems, findings):
        return True
    if len(jobs) > 1:
        message = phrase("there are several jobs: {names}", names=listed([*jobs]))
        findings.problem(FormatCode.SEVERAL_SYSTEMS, (), message)
    return len(jobs) > 1


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
    config = folder.struct(name, _JobConfig, findings.discarded()) if name in folder.names else None
    wanted = count(config.n_attempts) if config else None
    wanted = wanted or max(counts.values(), default=0)
    return {task for task, number in counts.items() if number != wanted}
