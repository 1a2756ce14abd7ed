"""FHIR-AgentBench: reading, grading and judging submissions."""

from wardboard.scoring.fhir_agentbench.grading.questions_file import QuestionsInvalid, read_questions
from wardboard.scoring.fhir_agentbench.grading.references import (
    FhirReference,
    dump_references,
    load_references,
)
from wardboard.scoring.fhir_agentbench.grading.retrieval import (
    ResourcesInvalid,
    RetrievalFigures,
    score_retrieval,
)

__all__ = [
    "FhirReference",
    "QuestionsInvalid",
    "ResourcesInvalid",
    "RetrievalFigures",
    "dump_references",
    "load_references",
    "read_questions",
    "score_retrieval",
]
