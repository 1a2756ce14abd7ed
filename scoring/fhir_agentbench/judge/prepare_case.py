"""Prepare cases, so that every judge treats missing, unprintable and very long values alike."""

from typing import Any

from wardboard.scoring.fhir_agentbench.grading.precheck import is_missing
from wardboard.scoring.fhir_agentbench.grading.references import NO_ANSWER
from wardboard.scoring.judging import Case, JudgeVerdict

NULL, UNREADABLE = "null", "unreadable"
_HEAD, _TAIL = 15_000, 5_000


def prepare_case(case: Case) -> Case | JudgeVerdict:
    """Return `case` with all its values as text, or the verdict if it needs no judge.

    A missing answer (None or NaN) is right if the reference is `no answer`, and wrong otherwise. An answer
    that cannot be printed (nested too deeply, a number with too many digits) is wrong.
    Source: FHIR-AgentBench evaluator.
    """
    texts = case.question, case.true_answer, case.agent_answer
    if all(type(value) is str for value in texts) and isinstance(case.assumption, str | None):
        return case
    if is_missing(case.agent_answer):
        return JudgeVerdict(correct=_text(case.true_answer) == NO_ANSWER, by="rules", reason=NULL)
    question, true_answer, agent_answer = map(_text, texts)
    assumption = None if is_missing(case.assumption) else _text(case.assumption)
    if question is None or true_answer is None or agent_answer is None:
        return JudgeVerdict(correct=False, by="rules", reason=UNREADABLE)
    return Case(question=question, assumption=assumption, true_answer=true_answer, agent_answer=agent_answer)


def _text(value: Any) -> str | None:
    try:
        return str(value)
    except (RecursionError, ValueError):
        return None


def shorten(answer: str) -> str:
    """Return `answer`, but only the beginning and the end of one over 20,000 characters.

    A megabyte would cost more tokens than a whole run, and a hundred patterns would take seconds on it.
    """
    left_out = len(answer) - _HEAD - _TAIL
    if left_out <= 0:
        return answer
    return f"{answer[:_HEAD]} [... {left_out} characters left out ...] {answer[-_TAIL:]}"
