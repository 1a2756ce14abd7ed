"""MedAgentBench's grader. What `__all__` names is stable, as `wardboard.scoring` says.

`build_references` makes the references of all tasks, `grade` decides on one answer, and `grade_all` of
`wardboard.scoring` on a whole set of them, each a `TaskResult`.
"""

from wardboard.scoring.medagentbench.grading.build_references import TasksInvalid, build_references
from wardboard.scoring.medagentbench.grading.graders import grade
from wardboard.scoring.medagentbench.grading.references import (
    Reference,
    TaskType,
    dump_references,
    load_references,
)
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED_FHIR_BASE
from wardboard.scoring.medagentbench.reasons import Reason

__all__ = [
    "PUBLISHED_FHIR_BASE",
    "Reason",
    "Reference",
    "TaskResult",
    "TaskType",
    "TasksInvalid",
    "build_references",
    "dump_references",
    "grade",
    "load_references",
]
