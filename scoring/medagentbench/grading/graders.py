"""The ten official graders. Each returns the reason of its first failed check, or None.

Source: MedAgentBench's refsol.py, copied verdict for verdict, quirks included.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.medagentbench.grading import payloads
from wardboard.scoring.medagentbench.grading.payloads import Rule, holds
from wardboard.scoring.medagentbench.grading.posts import EndsInPost, accepted_posts, any_post
from wardboard.scoring.medagentbench.grading.references import Reference, TaskType
from wardboard.scoring.medagentbench.reading.answers import parse_json
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED_FHIR_BASE
from wardboard.scoring.medagentbench.reasons import Reason
from wardboard.scoring.verdicts import Verdict

MAGNESIUM_LOW = 1.9  # mg/dL; a level at or below it is low
POTASSIUM_LOW = 3.5  # mEq/L; a level below it is low
_NEAR_ENOUGH = 0.1  # mg/dL; a mean that is off by as much is wrong

# Verdicts are immutable, so all tasks share one for each reason.
_VERDICTS = {reason: Verdict(correct=reason is Reason.CORRECT, reason=reason) for reason in Reason}


# The class is not frozen: each task needs an attempt, and a frozen one takes three times as long to make.
@dataclass(slots=True, kw_only=True)
class _Attempt:
    """An answer of any JSON type, and its history, for grading."""

    reference: Reference
    answer: Any
    history: Sequence[Any]


def grade(reference: Reference, *, answer: Any, post_history: Sequence[Any] | None) -> Verdict:
    """Return the official verdict on one task. Pure: no clock, network or database.

    - answer: JSON text such as "[2.7]"; any other type fails where the answer is read
    - post_history: items {"role", "content"}; None is an empty history

    Any submission gets a verdict, never an exception. If the official grader would raise an exception,
    the task is wrong, with reason GRADER_ERROR.
    """
    if reference.unusable is not None:
        return _VERDICTS[Reason.REFERENCE_UNUSABLE]
    attempt = _Attempt(reference=reference, answer=answer, history=post_history or ())
    try:
        reason = _GRADERS[reference.task_type](attempt) or Reason.CORRECT
    except EndsInPost:
        reason = Reason.GRADER_ERROR
    return _VERDICTS[reason]


def _exact(attempt: _Attempt) -> Reason | None:
    """Grade task1: the MRN, or the statement that there is none."""
    return _no_post(attempt) or _check_equal(attempt.answer, attempt.reference.value)


def _value(attempt: _Attempt) -> Reason | None:
    """Grade task2, task4 and task7: one value, -1 if there is no measurement."""
    return _no_post(attempt) or _check_equal(attempt.answer, [_value_or_minus_one(attempt)])


def _blood_pressure(attempt: _Attempt) -> Reason | None:
    """Grade task3: one POST. The answer is not read."""
    return _posts(attempt, ("Observation", payloads.BLOOD_PRESSURE))


def _magnesium(attempt: _Attempt) -> Reason | None:
    """Grade task5: an order if the level is low. Without a measurement the answer is not read."""
    level = attempt.reference.value
    if level is None:
        return _no_post(attempt)
    failure = (
        _no_post(attempt)
        if level > MAGNESIUM_LOW
        else _posts(attempt, ("MedicationRequest", payloads.MAGNESIUM))
    )
    return failure or _check_equal(attempt.answer, [level], [])


def _mean_glucose(attempt: _Attempt) -> Reason | None:
    """Grade task6: a list of one number near the mean, or near -1 if there is no measurement."""
    mean = _value_or_minus_one(attempt)
    return _no_post(attempt) or _check_answer(
        attempt.answer, lambda parsed: len(parsed) == 1 and abs(parsed[0] - mean) < _NEAR_ENOUGH
    )


def _referral(attempt: _Attempt) -> Reason | None:
    """Grade task8: one POST. The answer is not read."""
    return _posts(attempt, ("ServiceRequest", payloads.REFERRAL))


def _potassium(attempt: _Attempt) -> Reason | None:
    """Grade task9: a medication and a test, ordered in that sequence, if the level is low."""
    level = attempt.reference.value
    failure = (
        _no_post(attempt)
        if level is None or level >= POTASSIUM_LOW
        else _posts(
            attempt,
            ("MedicationRequest", payloads.POTASSIUM),
            ("ServiceRequest", payloads.POTASSIUM_TEST),
        )
    )
    return failure or _check_equal(attempt.answer, [_value_or_minus_one(attempt)], [])


def _hba1c(attempt: _Attempt) -> Reason | None:
    """Grade task10: an order if there is no recent measurement; the answer holds value and time."""
    reference = attempt.reference
    failure = (
        _posts(attempt, ("ServiceRequest", payloads.HBA1C_TEST)) if reference.order_due else _no_post(attempt)
    )
    expected = [-1] if reference.value is None else [reference.value, reference.time]
    return failure or _check_equal(attempt.answer, expected, [])


_GRADERS: dict[TaskType, Callable[[_Attempt], Reason | None]] = {
    TaskType.TASK1: _exact,
    TaskType.TASK2: _value,
    TaskType.TASK3: _blood_pressure,
    TaskType.TASK4: _value,
    TaskType.TASK5: _magnesium,
    TaskType.TASK6: _mean_glucose,
    TaskType.TASK7: _value,
    TaskType.TASK8: _referral,
    TaskType.TASK9: _potassium,
    TaskType.TASK10: _hba1c,
}


def _no_post(attempt: _Attempt) -> Reason | None:
    return Reason.UNEXPECTED_POST if any_post(attempt.history) else None


def _posts(attempt: _Attempt, *due: tuple[str, Rule]) -> Reason | None:
    """Check that the accepted POSTs are those due: (resource type, rule of payload), in order."""
    posts = accepted_posts(attempt.history)
    if len(posts) != len(due):
        return Reason.POST_COUNT
    for post, (resource_type, rule) in zip(posts, due, strict=True):
        if post.url != PUBLISHED_FHIR_BASE + resource_type:
            return Reason.POST_URL
        if not holds(rule, post.payload, attempt.reference):
            return Reason.POST_PAYLOAD
    return None


def _value_or_minus_one(attempt: _Attempt) -> Any:
    return -1 if attempt.reference.value is None else attempt.reference.value


def _check_equal(answer: Any, *allowed: Any) -> Reason | None:
    """Return None if the parsed `answer` equals one of `allowed`, otherwise the reason why not.

    answer: JSON text; anything else fails. Values are compared as in Python: 60 equals 60.0, and true
    equals 1.
    """
    return _check_answer(answer, lambda parsed: parsed in allowed)


def _check_answer(answer: Any, passes: Callable[[Any], bool]) -> Reason | None:
    if answer is None:
        return Reason.NO_ANSWER
    if not isinstance(answer, str):
        return Reason.ANSWER_NOT_JSON
    try:
        parsed = parse_json(answer)
    except ValueError:
        return Reason.ANSWER_NOT_JSON
    try:
        return None if passes(parsed) else Reason.ANSWER_MISMATCH
    # As in the official graders, a value without a length, first element or difference is a mismatch.
    except (ArithmeticError, LookupError, TypeError):
        return Reason.ANSWER_MISMATCH
