"""MedAgentBench: reading, references and grading."""

from wardboard.scoring.medagentbench.grading.build_references import TasksInvalid, build_references
from wardboard.scoring.medagentbench.grading.graders import grade
from wardboard.scoring.medagentbench.grading.references import (
    Reference,
    TaskType,
    dump_references,
    load_references,
)
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED_FHIR_BASE
from wardboard.scoring.medagentbench.reasons import Reason

__all__ = [
    "PUBLISHED_FHIR_BASE",
    "Reason",
    "Reference",
    "TaskType",
    "TasksInvalid",
    "build_references",
    "dump_references",
    "grade",
    "load_references",
]
