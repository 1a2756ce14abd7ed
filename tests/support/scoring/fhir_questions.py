"""Questions of FHIR-AgentBench, and answers to them scored by an exact judge."""

from tests.support.scoring.judges import ExactJudge
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.grading.score import score
from wardboard.scoring.verdicts import Scorecard


def reference(task_id, true_ids=None, true_answer="[[1]]") -> FhirReference:
    """Return the reference of a question; by default it has one gold resource."""
    ids = {"Patient": ("p",)} if true_ids is None else true_ids
    return FhirReference(task_id=task_id, question="Q?", true_answer=true_answer, true_ids=ids)


def scored(*records, references=None, judge=None, watch=None) -> Scorecard:
    """Score records of a, b, c, …; by default each question has one gold resource."""
    by_id = {r.task_id: r for r in references or [reference(record.task_id) for record in records]}
    return score(records, by_id, judge=judge or ExactJudge(), watch=watch)
