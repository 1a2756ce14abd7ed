"""The ten official graders: what each asks for, and the reason of the first check that fails.

Source: MedAgentBench's refsol.py, copied verdict for verdict, quirks included.
"""

from collections.abc import Sequence
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


def grade(reference: Reference, *, answer: Any, post_history: Sequence[Any] | None) -> Verdict:
    """Return the official verdict on one task. Pure: no clock, network or database.

    - answer: JSON text such as "[2.7]"; any other type fails where the answer is read
    - post_history: items {"role", "content"}; None is an empty history

    Any submission gets a verdict, never an exception. If the official grader would raise an exception,
    the task is wrong, with reason GRADER_ERROR.
    """
    if reference.unusable is not None:
        return _VERDICTS[Reason.REFERENCE_UNUSABLE]
    history = post_history or ()
    try:
        due = posts_due(reference)
        failure = _check_posts(history, due, reference) if due else _check_none(history)
    except EndsInPost:
        failure = Reason.GRADER_ERROR
    return _VERDICTS[failure or _check_answer(answer, reference) or Reason.CORRECT]


def posts_due(reference: Reference) -> list[tuple[str, Rule]]:
    """Return resource type and rule of each POST that is due, in order."""
    level = reference.value
    match reference.task_type:
        case TaskType.TASK3:
            return [("Observation", payloads.BLOOD_PRESSURE)]
        # A level that is no number of any size, NaN, is not above the threshold either.
        case TaskType.TASK5 if level is not None and not level > MAGNESIUM_LOW:
            return [("MedicationRequest", payloads.MAGNESIUM)]
        case TaskType.TASK8:
            return [("ServiceRequest", payloads.REFERRAL)]
        case TaskType.TASK9 if level is not None and not level >= POTASSIUM_LOW:
            return [("MedicationRequest", payloads.POTASSIUM), ("ServiceRequest", payloads.POTASSIUM_TEST)]
        case TaskType.TASK10 if reference.order_due:
            return [("ServiceRequest", payloads.HBA1C_TEST)]
        case _:
            return []


def answers_due(reference: Reference) -> list[Any]:
    """Return the answers that are right; [] where the answer is not read. Without a measurement it is -1.

    An empty list is right for a task that may end in an order, whether one was due or not. The mean of task6
    is right if it is near.
    """
    value = -1 if reference.value is None else reference.value
    match reference.task_type:
        case TaskType.TASK1:
            return [reference.value]
        case TaskType.TASK3 | TaskType.TASK8:
            return []
        case TaskType.TASK5:
            return [] if reference.value is None else [[value], []]
        case TaskType.TASK9:
            return [[value], []]
        case TaskType.TASK10:
            return [[-1] if reference.value is None else [value, reference.time], []]
        case _:
            return [[value]]


def _check_none(history: Sequence[Any]) -> Reason | None:
    return Reason.UNEXPECTED_POST if any_post(history) else None


def _check_posts(
    history: Sequence[Any], due: Sequence[tuple[str, Rule]], reference: Reference
) -> Reason | None:
    """Check that the accepted POSTs are those due: (resource type, rule of payload), in order."""
    posts = accepted_posts(history)
    if len(posts) != len(due):
        return Reason.POST_COUNT
    for post, (resource_type, rule) in zip(posts, due, strict=True):
        if post.url != PUBLISHED_FHIR_BASE + resource_type:
            return Reason.POST_URL
        if not holds(rule, post.payload, reference):
            return Reason.POST_PAYLOAD
    return None


def _check_answer(answer: Any, reference: Reference) -> Reason | None:
    """Return None if the parsed `answer` is right or not read, otherwise the reason why it is wrong.

    answer: JSON text; anything else fails. Values are compared as in Python: 60 equals 60.0, and true
    equals 1.
    """
    allowed = answers_due(reference)
    if not allowed:
        return None
    if answer is None:
        return Reason.NO_ANSWER
    if not isinstance(answer, str):
        return Reason.ANSWER_NOT_JSON
    try:
        parsed = parse_json(answer)
    except ValueError:
        return Reason.ANSWER_NOT_JSON
    try:
        if reference.task_type is TaskType.TASK6:
            is_right = len(parsed) == 1 and abs(parsed[0] - allowed[0][0]) < _NEAR_ENOUGH
        else:
            is_right = parsed in allowed
    # As in the official graders, a value without a length, first element or difference is a mismatch.
    except (ArithmeticError, LookupError, TypeError):
        return Reason.ANSWER_MISMATCH
    return None if is_right else Reason.ANSWER_MISMATCH
