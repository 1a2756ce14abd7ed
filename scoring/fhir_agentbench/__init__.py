"""FHIR-AgentBench's grader. What `__all__` names is stable, as `wardboard.scoring` says.

`read_questions` reads the references, `score_retrieval` compares retrieved resources, a judge of `judge`
decides on one answer, and `grade_all` of `wardboard.scoring` on a whole set, each an `AnswerRecord`.
"""

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
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, Usage

__all__ = [
    "AnswerRecord",
    "FhirReference",
    "QuestionsInvalid",
    "ResourcesInvalid",
    "RetrievalFigures",
    "Usage",
    "dump_references",
    "load_references",
    "read_questions",
    "score_retrieval",
]
