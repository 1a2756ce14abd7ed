"""The hidden reference of each task, which its grader compares answers with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from wardboard.scoring.ground_truth import dump_rows, load_rows

_FORMAT = "medagentbench-references/1"


class TaskType(StrEnum):
    """The type of a task: the part of its id before the underscore."""

    TASK1 = "task1"
    TASK2 = "task2"
    TASK3 = "task3"
    TASK4 = "task4"
    TASK5 = "task5"
    TASK6 = "task6"
    TASK7 = "task7"
    TASK8 = "task8"
    TASK9 = "task9"
    TASK10 = "task10"


# Grading looks up a type twice for every task, several times as fast as calling the enumeration.
_TYPES = {str(kind): kind for kind in TaskType}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What the grader of one task compares an answer with. It is hidden: `repr` shows the id only.

    - value: None if there is no measurement, otherwise
      - task1: `sol` of the task file
      - task2: the age in whole years
      - task4, task5, task7 (mg/dL), task9 (mEq/L), task10 (percent): the last value, as the server gave it
      - task6: the mean in mg/dL
    - mrn: the patient, in task3, task5, task8, task9 and task10
    - time: when the value was recorded, as written, in task10
    - order_due: whether a new test is due, in task10
    - referral: the text that the note must contain, in task8
    - unusable: why no answer can be right, for the organiser; None if one can
    """

    task_id: str
    mrn: str | None = field(default=None, repr=False)
    value: Any = field(default=None, repr=False)
    time: str | None = field(default=None, repr=False)
    order_due: bool | None = field(default=None, repr=False)
    referral: str | None = field(default=None, repr=False)
    unusable: str | None = field(default=None, repr=False)

    @property
    def task_type(self) -> TaskType:
        return _TYPES[self.task_id.partition("_")[0]]


def dump_references(references: Mapping[str, Reference]) -> bytes:
    """Serialise `references`, in their order: the same content gives the same bytes.

    The sha256 of these bytes is the reference digest.
    """
    return dump_rows(references, _FORMAT)


def load_references(data: bytes) -> dict[str, Reference]:
    """Return the references from `dump_references`. Raises ValueError for other bytes."""
    return load_rows(data, _FORMAT, lambda row: Reference(**row), "ground truth")
