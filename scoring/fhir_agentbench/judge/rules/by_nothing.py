"""References that say that there is no answer: met by saying so, or by 0 to a question about a number."""

from scoring.fhir_agentbench.judge.rules.answers import Answer
from scoring.fhir_agentbench.judge.rules.findings import Finding, Why
from scoring.fhir_agentbench.judge.rules.questions import Asks, Question
from scoring.fhir_agentbench.judge.rules.truths import Kind


def judge_nothing(kind: Kind, answer: Answer, question: Question) -> Finding:
    """Return whether `answer` says that there is none."""
    stance = answer.stance
    if answer.raw:
        return Finding(False, Why.RAW_DATA, sure=not answer.cut)
    if not answer.words:
        return Finding(True, Why.NO_ANSWER_AS_EXPECTED, sure=False)
    values = [number for number in answer.numbers if number.value != 0]
    zeros = len(answer.numbers) - len(values)
    denies = stance.absent or stance.unable or stance.denies
    if values or any(moment.year for moment in answer.new_moments):
        return Finding(False, Why.VALUE_FOR_NOTHING, sure=not denies and not stance.hedged)
    if zeros:
        about_number = question.asks in (Asks.COUNT, Asks.AMOUNT) and not question.unit
        return Finding(about_number, Why.NO_ANSWER_AS_EXPECTED if about_number else Why.VALUE_FOR_NOTHING, sure=False)
    if not denies:
        return Finding(False, Why.VALUE_FOR_NOTHING, sure=not stance.hedged and not stance.broken)
    return Finding(True, Why.NO_ANSWER_AS_EXPECTED, sure=False)
