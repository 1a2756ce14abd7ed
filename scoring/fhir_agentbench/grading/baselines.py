"""Baselines: agents that need no model."""

from collections.abc import Iterator, Sequence

from wardboard.scoring.benchmark import Baseline
from wardboard.scoring.fhir_agentbench.grading.references import NO_ANSWER
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord

NULL_AGENT = "Null agent"


def _no_answers(task_ids: Sequence[str]) -> Iterator[AnswerRecord]:
    return (AnswerRecord(task_id=task_id, answer=NO_ANSWER) for task_id in task_ids)


BASELINES = (
    Baseline(
        system=NULL_AGENT,
        explains="Says “no answer” to every question and retrieves nothing. A question whose true answer "
        "is that there is none is then right, and has full precision and recall.",
        records=_no_answers,
    ),
)
