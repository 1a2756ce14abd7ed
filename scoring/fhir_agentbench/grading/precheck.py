"""What the file alone decides of an answer, before any judge.

Source: FHIR-AgentBench, evaluator: error, token limit, `no answer`, null, in this order, then the judge.
"""

from typing import Any

from scoring.fhir_agentbench.grading.reasons import FhirReason, is_correct
from scoring.fhir_agentbench.grading.references import NO_ANSWER, FhirReference
from scoring.fhir_agentbench.reading.records import AnswerRecord
from scoring.judging import Case
from scoring.verdicts import Verdict

_TOKEN_LIMIT = "Input tokens exceeded"
# Made once: an answer costs no more than a look at it.
_VERDICTS = {reason: Verdict(correct=is_correct(reason), reason=reason) for reason in FhirReason}


def verdict_of(reason: FhirReason) -> Verdict:
    return _VERDICTS[reason]


def decide(record: AnswerRecord, reference: FhirReference) -> Verdict | Case:
    """Return the verdict on the answer of `record`, or the case for the judge who has to decide.

    Whether an answer to a question without any is a non-answer, is for the judge to say too, officially
    before anything else is asked of it, so that a list of several items can be one ("none", twice). A null
    answer is one without being asked about, so it is right there and wrong everywhere else; so is a number
    never one, since the judge, who takes 0 for nothing, would let pass what officially fails.
    """
    answer, truth = record.answer, reference.truth
    if record.failed:
        return verdict_of(FhirReason.WRONG_ERROR)
    if _says_token_limit(answer):
        return verdict_of(FhirReason.WRONG_TOKEN_LIMIT)
    if answer is None:
        return verdict_of(FhirReason.RIGHT_NO_ANSWER if truth == NO_ANSWER else FhirReason.WRONG_NULL)
    text = str(answer) if truth == NO_ANSWER and isinstance(answer, list) else _text(answer)
    if text is None:
        return verdict_of(FhirReason.WRONG_NOT_TEXT)
    return Case(
        question=reference.question,
        assumption=reference.assumption,
        true_answer=truth,
        agent_answer=text,
    )


def _says_token_limit(answer: Any) -> bool:
    """Whether it holds the words: a text anywhere, a list as an item, an object as a key."""
    return isinstance(answer, str | list | dict) and _TOKEN_LIMIT in answer


def _text(answer: Any) -> str | None:
    """Return what the judge officially sees of `answer`; None where the evaluator stumbles over it, which
    is a 0: numbers, and lists of several items."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, dict) or (isinstance(answer, list) and len(answer) <= 1):
        return str(answer)
    return None
