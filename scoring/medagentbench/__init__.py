"""MedAgentBench: reading, references and grading."""

from scoring.medagentbench.building import TasksInvalid, build_references
from scoring.medagentbench.graders import PUBLISHED_FHIR_BASE, grade
from scoring.medagentbench.reasons import Reason
from scoring.medagentbench.references import (
    Reference,
    TaskType,
    dump_references,
    load_references,
)

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
