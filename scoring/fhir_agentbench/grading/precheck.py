"""Decide answers from the file alone, before any judge.

Source: FHIR-AgentBench evaluator: error, token limit, `no answer`, null, in this order, then the judge.
"""

import math
from typing import Any

from wardboard.scoring.fhir_agentbench.grading.reasons import FhirReason, is_correct
from wardboard.scoring.fhir_agentbench.grading.references import NO_ANSWER, FhirReference
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord
from wardboard.scoring.judging import Case
from wardboard.scoring.verdicts import Verdict

_TOKEN_LIMIT = "Input tokens exceeded"
# NumPy gives an array no more dimensions.
_MOST_DIMENSIONS = 64
# The verdicts are built once, so that each costs one look-up.
_VERDICTS = {reason: Verdict(correct=is_correct(reason), reason=reason) for reason in FhirReason}


def verdict_of(reason: FhirReason) -> Verdict:
    return _VERDICTS[reason]


def precheck(record: AnswerRecord, reference: FhirReference, *, officially: bool = False) -> Verdict | Case:
    """Return the verdict on the answer of `record`, or the case that a judge has to decide.

    - If the reference is `no answer`, the judge decides whether the answer is a non-answer. Officially this
      comes before every other check, so a list of several items can be one too ("none", twice).
    - A null answer needs no judge: it is right if the reference is `no answer`, and wrong otherwise.
    - A number is never a non-answer: the judge takes 0 for nothing and would accept what officially fails.

    officially: for the official judge, what its evaluator decides without its models. Then

    - if the reference is `no answer`, a null answer goes to the normaliser too, printed as Python does;
    - a list is read as pandas reads it, nested ones as a table. One that does not hold exactly one value
      (`[]`, `[[]]`, `[[1, 2]]`, `[[1], [2]]`) is wrong whatever the reference is, since the evaluator fails
      on it before it looks at the normaliser's label;
    - a list whose only value is null (`[null]`, `[[null]]`) counts as null.
    """
    answer, expected = record.answer, reference.expected_answer
    if record.failed or has_token_limit(answer):
        return verdict_of(FhirReason.WRONG_ERROR if record.failed else FhirReason.WRONG_TOKEN_LIMIT)
    is_null = answer is None
    if officially:
        values = _values(answer)
        if len(values) != 1:
            return verdict_of(FhirReason.WRONG_NOT_TEXT)
        value = values[0]
        is_null = value is None or (isinstance(value, float) and math.isnan(value))
    if is_null and expected != NO_ANSWER:
        return verdict_of(FhirReason.WRONG_NULL)
    if is_null and not officially:
        return verdict_of(FhirReason.RIGHT_NO_ANSWER)
    is_listed = not officially and expected == NO_ANSWER and isinstance(answer, list)
    text = str(answer) if is_null or is_listed else judged_text(answer)
    if text is None:
        return verdict_of(FhirReason.WRONG_NOT_TEXT)
    return Case(
        question=reference.question,
        assumption=reference.assumption,
        true_answer=expected,
        agent_answer=text,
        answer_is_null=is_null,
    )


def _values(answer: Any) -> list[Any]:
    """Return the values that `pandas.isnull` looks at: one of any answer but a list.

    It makes an array of a list: nested lists are its dimensions as deep as those beside each other have one
    length. Written without NumPy, which the command does not install.
    """
    values = [answer]
    for _ in range(_MOST_DIMENSIONS):
        if not all(isinstance(value, list) for value in values) or len({len(value) for value in values}) > 1:
            break
        values = [item for value in values for item in value]
    return values


def has_token_limit(answer: Any) -> bool:
    """Check for the token-limit text in a text, as an item of a list, or as a key of an object."""
    return isinstance(answer, str | list | dict) and _TOKEN_LIMIT in answer


def judged_text(answer: Any) -> str | None:
    """Return `answer` as the official judge sees it.

    None for numbers and lists of several items: the evaluator fails on them, which scores 0.
    """
    if isinstance(answer, str):
        return answer
    if isinstance(answer, dict) or (isinstance(answer, list) and len(answer) <= 1):
        return str(answer)
    return None
