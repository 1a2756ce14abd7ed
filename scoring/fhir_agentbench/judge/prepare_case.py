"""What is given to a judge, made ready: every judge takes the same for nothing and for no text."""

import math
from typing import Any

from scoring.fhir_agentbench.grading.references import NO_ANSWER
from scoring.judging import Case, JudgeVerdict

NULL, UNREADABLE = "null", "unreadable"


def ready(case: Case) -> Case | JudgeVerdict:
    """Return `case` with texts where other values stand in it, or the verdict that is clear without a judge.

    A missing answer (None or NaN) is right where the true answer is `no answer`, and wrong everywhere else.
    One that cannot be told as text (nested too deep, a number too long) is wrong. Source: specification
    section 4.1.
    """
    told = case.question, case.true_answer, case.agent_answer
    if all(type(value) is str for value in told) and isinstance(case.assumption, str | None):
        return case
    if _is_missing(case.agent_answer):
        return JudgeVerdict(correct=_text(case.true_answer) == NO_ANSWER, by="rules", reason=NULL)
    question, true_answer, agent_answer = map(_text, told)
    assumption = None if _is_missing(case.assumption) else _text(case.assumption)
    if question is None or true_answer is None or agent_answer is None:
        return JudgeVerdict(correct=False, by="rules", reason=UNREADABLE)
    return Case(question=question, assumption=assumption, true_answer=true_answer, agent_answer=agent_answer)


def _is_missing(value: Any) -> bool:
    # NaN is what tables make of a cell without a value.
    return value is None or (isinstance(value, float) and math.isnan(value))


def _text(value: Any) -> str | None:
    try:
        return str(value)
    except (RecursionError, ValueError):
        return None
