"""Build the references from the tasks and the server, once per import of a ground truth.

Source: MedAgentBench's refsol.py, which queries the server again for every grading.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from wardboard.scoring.fhir import FhirSource
from wardboard.scoring.medagentbench.grading.patient_data import (
    Chart,
    Observation,
    Unusable,
    last,
    official_raises,
    patient_mrn,
    recent,
)
from wardboard.scoring.medagentbench.grading.payloads import NOW
from wardboard.scoring.medagentbench.grading.references import Reference, TaskType
from wardboard.scoring.medagentbench.grading.task_codes import TaskCode
from wardboard.scoring.reading.collector import make_problem
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import Problem, quote

_DAY_AGO = datetime.fromisoformat(NOW) - timedelta(hours=24)
_YEAR_AGO = datetime.fromisoformat("2022-11-13T10:15:00+00:00")
_YEAR, _MONTH_AND_DAY = 2023, (11, 13)

_TASK_ID = re.compile(r"task(?:[1-9]|10)_[0-9]+")
_REFERRAL = re.compile(r"Situation:.*?management recommendations\.", re.DOTALL)

# Returns the parts of the reference of a task.
Builder = Callable[[Mapping[str, Any], Chart], dict[str, Any]]


class TasksInvalid(ValueError):
    """The tasks have no possible references. problems: one for each faulty entry."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        listed = "; ".join(problem.message for problem in problems)
        super().__init__(f"the task file cannot be used: {listed}")
        self.problems = tuple(problems)


def build_references(
    tasks: Sequence[Mapping[str, Any]],
    source: FhirSource,
) -> dict[str, Reference]:
    """Return {task id: Reference}, in the order of `tasks` (objects as in the task file).

    Each query is sent once. A reference is unusable if

    - the official grader would raise an exception,
    - the task lacks something that its type needs, or
    - its query fails.

    Raises TasksInvalid before any query is sent, and FhirUnavailable,
    because an outage reveals nothing about the data.
    """
    check_tasks(tasks)
    chart = Chart(source)
    return {task["id"]: _reference(task, chart) for task in tasks}


def check_tasks(tasks: Any) -> None:
    """Raise TasksInvalid, with every problem, where `tasks` are not those of a task file."""
    if not isinstance(tasks, list | tuple):
        raise TasksInvalid([make_problem(TaskCode.NOT_TASKS, (), phrase("it is not a list of tasks"))])
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    for number, task in enumerate(tasks):
        if not isinstance(task, Mapping):
            message = phrase("entry {number} is not an object", number=number)
            problems.append(make_problem(TaskCode.NOT_AN_OBJECT, (number,), message))
            continue
        task_id = task.get("id")
        if not isinstance(task_id, str) or not _TASK_ID.fullmatch(task_id):
            message = phrase(
                "entry {number} has id {id}, which is not task1_1 to task10_n",
                number=number,
                id=quote(task_id),
            )
            problems.append(make_problem(TaskCode.ID, (number, "id"), message))
        elif task_id in seen:
            message = phrase(
                "entry {number} has id {id}, as entry {earlier} has",
                number=number,
                id=task_id,
                earlier=seen[task_id],
            )
            problems.append(make_problem(TaskCode.ID_REPEATED, (number, "id"), message))
        else:
            seen[task_id] = number
            if _is_solution_malformed(task):
                message = phrase(
                    "entry {number} ({id}) has a `sol` that is not a list of texts", number=number, id=task_id
                )
                problems.append(make_problem(TaskCode.SOLUTION, (number, "sol"), message))
    if problems:
        raise TasksInvalid(problems)


def _is_solution_malformed(task: Mapping[str, Any]) -> bool:
    """Return whether `sol` is there and read, but no answer can equal it."""
    if TaskType(task["id"].partition("_")[0]) is not TaskType.TASK1 or "sol" not in task:
        return False
    texts = task["sol"]
    return not (
        isinstance(texts, list) and texts and all(isinstance(text, str) and text.strip() for text in texts)
    )


def _reference(task: Mapping[str, Any], chart: Chart) -> Reference:
    task_id: str = task["id"]
    try:
        parts = _BUILDERS[TaskType(task_id.partition("_")[0])](task, chart)
    except Unusable as unusable:
        parts = {"unusable": unusable.why}
    return Reference(task_id=task_id, **parts)


def _solution(task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    if "sol" not in task:
        raise Unusable(phrase("the task has no `sol`: add it to the task file"))
    return {"value": task["sol"]}


def _age(task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    born = chart.birth_date(task)
    return {"value": _YEAR - born.year - ((born.month, born.day) > _MONTH_AND_DAY)}


def _patient(task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    return {"mrn": patient_mrn(task)}


def _last_recent(task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    return {"value": _value(last(recent(chart.observations(task), _DAY_AGO)))}


def _mean_recent(task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    observations = recent(chart.observations(task), _DAY_AGO)
    total = 0.0
    with official_raises(phrase("adding up the values")):
        # A loop, in the server's order, because `sum` rounds differently from Python 3.12 on.
        for observation in observations:
            total += observation.value
    return {"value": total / len(observations) if observations else None}


def _last_ever(task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    return {"value": _value(last(chart.observations(task)))}


def _referral(task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    instruction = task.get("instruction")
    text = _REFERRAL.search(instruction) if isinstance(instruction, str) else None
    if text is None:
        raise Unusable(
            phrase("the instruction has no referral text from `Situation:` to `management recommendations.`")
        )
    return {"mrn": patient_mrn(task), "referral": text[0]}


def _order_if_low(last_value: Builder, task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    """Return the level and the patient. Raises Unusable where no level can be compared with a threshold."""
    parts = last_value(task, chart)
    if not isinstance(parts["value"], int | float | None):
        raise Unusable(phrase("the last value is not a number: the official grader cannot compare it"))
    return parts | _patient(task, chart)


def _hba1c(task: Mapping[str, Any], chart: Chart) -> dict[str, Any]:
    latest = last(chart.observations(task))
    parts = {"value": _value(latest), "mrn": patient_mrn(task)}
    if latest is None or latest.value is None:
        return parts | {"order_due": True}
    with official_raises(phrase("comparing the time with that of a year ago")):
        return parts | {"time": latest.recorded, "order_due": latest.time < _YEAR_AGO}


_BUILDERS: dict[TaskType, Builder] = {
    TaskType.TASK1: _solution,
    TaskType.TASK2: _age,
    TaskType.TASK3: _patient,
    TaskType.TASK4: _last_recent,
    TaskType.TASK5: partial(_order_if_low, _last_recent),
    TaskType.TASK6: _mean_recent,
    TaskType.TASK7: _last_ever,
    TaskType.TASK8: _referral,
    TaskType.TASK9: partial(_order_if_low, _last_ever),
    TaskType.TASK10: _hba1c,
}


def _value(observation: Observation | None) -> Any:
    """Return the value; None without an observation and, as officially, for a value of null."""
    return None if observation is None else observation.value
