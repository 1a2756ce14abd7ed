"""The hidden reference of each task: what its grader compares with, and nothing else."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

_FORMAT = "medagentbench-references/1"


class TaskType(StrEnum):
    """What a task asks; the part of its id before the underscore."""

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


# By text: several times as fast as calling the enumeration, and asked twice for every task graded.
_TYPES = {str(kind): kind for kind in TaskType}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What the grader of one task compares with. Hidden: `repr` shows the id alone.

    value: task1 `sol`; task2 the age in whole years; task4, 5 and 7 mg/dL, task9 mEq/L, task10
    percent, as the server gave the last one; task6 the mean in mg/dL. None is no measurement.
    mrn: the patient, in task3, 5, 8, 9 and 10. time, order_due: task10, when the value was recorded
    (as written) and whether a new test is due. referral: task8, the text that the note must contain.
    unusable: for the organiser, why no answer can be right; None if one can.
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
    """Return `references` as ASCII JSON, in their order: the same content gives the same bytes.

    The sha256 of these bytes is the reference digest. 7 and 7.0 stay apart; NaN and Infinity are
    written as such.
    """
    rows = [
        {part.name: kept for part in fields(ref) if (kept := getattr(ref, part.name)) is not None}
        for ref in references.values()
    ]
    document = {"format": _FORMAT, "references": rows}
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode("ascii")


def load_references(data: bytes) -> dict[str, Reference]:
    """Return the references that `dump_references` took. Raises ValueError for other bytes."""
    try:
        document = json.loads(data)
        if document["format"] != _FORMAT:
            raise ValueError
        return {row["task_id"]: Reference(**row) for row in document["references"]}
    except (LookupError, TypeError, ValueError):
        # Without the cause: its text could quote what is hidden.
        raise ValueError(f"these bytes are no {_FORMAT} dump: import the ground truth again") from None
