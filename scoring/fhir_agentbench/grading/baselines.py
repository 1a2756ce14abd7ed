"""Baselines: agents that need no model."""

from wardboard.scoring.benchmark import Baseline
from wardboard.scoring.fhir_agentbench.grading.references import NO_ANSWER
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord

NULL_AGENT = "Null agent"
BASELINES = (
    Baseline(
        system=NULL_AGENT,
        explains="Says “no answer” to every question and retrieves nothing. A question whose true answer "
        "is that there is none is then right, and has full precision and recall.",
        records=lambda task_ids: (AnswerRecord(task_id=each, answer=NO_ANSWER) for each in task_ids),
    ),
)
