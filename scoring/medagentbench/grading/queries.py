"""The FHIR queries that the reference of a task needs."""

from collections.abc import Mapping
from typing import Any

# Source: MedAgentBench's evaluator (refsol.py): the lab code that each type of task asks for.
LAB_CODES = {"task4": "MG", "task5": "MG", "task6": "GLU", "task7": "GLU", "task9": "K", "task10": "A1C"}


def queries_for(task: Mapping[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """Return the searches, as (resource type, parameters), that the reference of `task` needs.

    task: an entry of a task file. Empty for task1, task3 and task8, which need no server, and for a
    task without `eval_MRN`, which names no patient to ask about.
    """
    kind, mrn = str(task.get("id")).partition("_")[0], task.get("eval_MRN")
    if not isinstance(mrn, str):
        return []
    if kind == "task2":
        return [("Patient", {"identifier": mrn})]
    if kind not in LAB_CODES:
        return []
    # 5,000 a page, as in the official evaluator, which reads only one page.
    return [("Observation", {"patient": mrn, "code": LAB_CODES[kind], "_count": "5000"})]
