"""FHIR-AgentBench: reading, references, retrieval, judging and scoring."""

from scoring.fhir_agentbench.grading.questions_file import QuestionsInvalid, read_questions
from scoring.fhir_agentbench.grading.references import Reference, dump_references, load_references
from scoring.fhir_agentbench.grading.retrieval import ResourcesInvalid, Retrieval, score_retrieval

__all__ = [
    "QuestionsInvalid",
    "Reference",
    "ResourcesInvalid",
    "Retrieval",
    "dump_references",
    "load_references",
    "read_questions",
    "score_retrieval",
]
