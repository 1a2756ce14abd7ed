"""Explain a verdict: which check failed, and what the reference asks for."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wardboard.scoring.explanations import (
    ComparedPost,
    ExpectedWork,
    OwnWork,
    ShownPost,
    WrongField,
    indented,
)
from wardboard.scoring.medagentbench.grading.compare import wrong_fields
from wardboard.scoring.medagentbench.grading.graders import answers_due, posts_due
from wardboard.scoring.medagentbench.grading.payloads import Rule, holds, payload_due
from wardboard.scoring.medagentbench.grading.posts import Post, accepted_posts, all_posts, has_request
from wardboard.scoring.medagentbench.grading.references import Reference, TaskType
from wardboard.scoring.medagentbench.reading.answers import parse_json
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED_FHIR_BASE
from wardboard.scoring.medagentbench.reasons import Reason
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n

_ADDRESS = "URL"  # as the path of a field
_EXPECTED = {1: phrase("One POST was expected."), 2: phrase("Two POSTs were expected.")}


def own_work(record: TaskResult) -> OwnWork:
    """Return the answer and the POSTs of a record."""
    posts = [
        ShownPost(target=post.url, payload=_indented(post.payload), is_accepted=is_accepted)
        for post, is_accepted in all_posts(record.post_history)
    ]
    return OwnWork(answer=record.answer, posts=tuple(posts))


def failed_check(record: TaskResult, reason: str, reference: Reference | None = None) -> Phrase | None:
    """Return the failed check, as exactly as the reference allows where it is given."""
    described, compared = _CHECKS.get(reason, (None, None))
    if reference and reference.unusable is not None:
        return phrase("No answer can be right: the reference cannot be used.")
    if reference and compared and (exact := compared(record, reference)):
        return exact
    return described(record) if described else None


def _describe_unexpected(record: TaskResult) -> Phrase:
    if not has_request(record.post_history):
        return phrase("A message has the word POST, which counts as a POST; none was due.")
    sent = len(all_posts(record.post_history))
    return phrase_n("{n} POST was sent where none was due.", "{n} POSTs were sent where none was due.", sent)


def _describe_count(record: TaskResult) -> Phrase:
    sent = len(accepted_posts(record.post_history))
    if not sent:
        return _why_not_counted(record) or phrase("No POST was accepted; at least one was due.")
    return phrase_n(
        "{n} POST was accepted; another number was due.",
        "{n} POSTs were accepted; another number was due.",
        sent,
    )


def _why_not_counted(record: TaskResult) -> Phrase | None:
    """Return why a POST that was sent does not count; None where all count, or none was sent."""
    posts = all_posts(record.post_history)
    if any(is_accepted and not post.is_json for post, is_accepted in posts):
        return phrase("The content of a POST is not JSON, so it does not count.")
    are_accepted = all(is_accepted for _, is_accepted in posts)
    return None if are_accepted else phrase("A POST was not accepted, so it does not count.")


def _describe_answer(record: TaskResult) -> Phrase:
    parsed = _parsed(record.answer)
    if not isinstance(parsed, list):
        return phrase("The answer is not a list.")
    if record.task_id.startswith("task6_") and not _is_one_number(parsed):
        return phrase("The answer is not one number.")
    return phrase("The answer is wrong.")


def _compare_answer(record: TaskResult, reference: Reference) -> Phrase | None:
    parsed, (due, *_) = _parsed(record.answer), answers_due(reference)
    if not isinstance(parsed, list) or not isinstance(due, list):
        return phrase("The value is right, but not in a list.") if [parsed] == due else None
    if reference.task_type is TaskType.TASK6 and _is_one_number(parsed) and reference.value is not None:
        return phrase("The number is outside the tolerance.")
    if [str(value) for value in parsed] == [str(value) for value in due]:
        return phrase("The value is right; its type is wrong (text or number).")
    if due == [-1]:
        return phrase("There is no measurement: -1 was expected.")
    if len(parsed) != len(due):
        return phrase_n(
            "The answer has {found} values; {n} was expected.",
            "The answer has {found} values; {n} were expected.",
            len(due),
            found=len(parsed),
        )
    return None


def _why_none_due(record: TaskResult, reference: Reference) -> Phrase | None:
    is_order = reference.task_type in (TaskType.TASK5, TaskType.TASK9, TaskType.TASK10)
    if not is_order or not has_request(record.post_history):
        return None
    if reference.task_type is TaskType.TASK10:
        return phrase("The last test is recent: no order was due.")
    if reference.value is None:
        return phrase("There is no measurement: no order was due.")
    return phrase("The level is not low: no order was due.")


def _compare_counts(record: TaskResult, reference: Reference) -> Phrase:
    sent, due = len(accepted_posts(record.post_history)), len(posts_due(reference))
    if sent < due and (why := _why_not_counted(record)):
        return why
    if sent == 0:
        return phrase("The POST is missing.") if due == 1 else phrase("Both POSTs are missing.")
    if sent < due:
        return phrase("One of two POSTs is missing.")
    return phrase("{n} POSTs were accepted. {expected}", n=sent, expected=_EXPECTED[due])


def _wrong_address(record: TaskResult, reference: Reference) -> Phrase | None:
    """Name the first address that is not the one that was due."""
    posts = compared_posts(record, Reason.POST_URL, reference)
    wrong = (field for post in posts for field in post.wrong if field.path == _ADDRESS)
    return next(
        (phrase("A POST went to the wrong address: {url} was due.", url=one.due) for one in wrong), None
    )


def _wrong_fields(record: TaskResult, reference: Reference) -> Phrase | None:
    """Name the wrong fields of the first wrong payload."""
    posts = compared_posts(record, Reason.POST_PAYLOAD, reference)
    for number, post in enumerate(posts, 1):
        # The path of a whole payload is empty.
        paths = [field.path for field in post.wrong]
        if names := ", ".join(dict.fromkeys(re.split(r"[.[]", path)[0] for path in paths)):
            if len(posts) == 1:
                return phrase("POST ({kind}): wrong {fields}", kind=post.kind, fields=names)
            return phrase("POST {n} ({kind}): wrong {fields}", n=number, kind=post.kind, fields=names)
        if paths:
            break
    return None


# Reason -> what says the failed check by the record alone, and by the reference.
_CHECKS: Mapping[
    str, tuple[Callable[[TaskResult], Phrase], Callable[[TaskResult, Reference], Phrase | None] | None]
] = {
    Reason.ANSWER_MISMATCH: (_describe_answer, _compare_answer),
    Reason.ANSWER_NOT_JSON: (lambda _: phrase("The answer is not JSON."), None),
    Reason.UNEXPECTED_POST: (_describe_unexpected, _why_none_due),
    Reason.POST_COUNT: (_describe_count, _compare_counts),
    Reason.POST_URL: (lambda _: phrase("A POST went to the wrong address."), _wrong_address),
    Reason.POST_PAYLOAD: (lambda _: phrase("The content of a POST is wrong."), _wrong_fields),
    Reason.GRADER_ERROR: (lambda _: phrase("The last message is a POST without a response."), None),
}


def compared_posts(record: TaskResult, reason: str, reference: Reference) -> tuple[ComparedPost, ...]:
    """Return the POSTs of a wrong record beside those that were due; () where no POST is why."""
    if reason == Reason.UNEXPECTED_POST and has_request(record.post_history):
        sent = [post for post, _ in all_posts(record.post_history)]
    elif reason in (Reason.POST_COUNT, Reason.POST_URL, Reason.POST_PAYLOAD):
        sent = accepted_posts(record.post_history)
    else:
        return ()
    due = posts_due(reference)
    # The grader goes by position. Where the number is wrong it compares none: pair them by resource type.
    is_by_position = len(sent) == len(due)
    compared = []
    for kind, rule in due:
        url = PUBLISHED_FHIR_BASE + kind
        place = next((n for n, post in enumerate(sent) if is_by_position or post.url == url), None)
        if place is None:
            compared.append(ComparedPost(kind=kind, verdict=phrase("missing")))
        else:
            compared.append(_compare(kind, rule, sent.pop(place), reference))
    more = [ShownPost(target=post.url, payload="").kind for post in sent]
    return (*compared, *(ComparedPost(kind=kind, verdict=phrase("not due")) for kind in more))


def _compare(kind: str, rule: Rule, post: Post, reference: Reference) -> ComparedPost:
    url = PUBLISHED_FHIR_BASE + kind
    if post.url != url:
        return ComparedPost(
            kind=kind, verdict=phrase("wrong address"), wrong=(WrongField(_ADDRESS, url, post.url),)
        )
    right = sum(holds((check,), post.payload, reference) for check in rule)
    wrong = wrong_fields(rule, post.payload, reference)
    verdict = phrase_n("{n} field correct", "{n} fields correct", right) if wrong else phrase("correct")
    return ComparedPost(kind=kind, verdict=verdict, wrong=tuple(wrong.values()))


def expected_work(record: object, reference: Reference) -> ExpectedWork:
    """Return the answers and POSTs that are right."""
    if reference.unusable is not None:
        return ExpectedWork(notes=(phrase("No answer can be right: the reference cannot be used."),))
    notes: tuple[Phrase, ...] = ()
    answers = [_rounded(due) for due in answers_due(reference)]
    if reference.task_type is TaskType.TASK6:
        notes = (phrase("Within 0.1 counts as correct."),)
    posts = [
        ShownPost(target=kind, payload=_indented(payload_due(rule, reference)))
        for kind, rule in posts_due(reference)
    ]
    return ExpectedWork(
        answers=tuple(json.dumps(due, ensure_ascii=False) for due in answers),
        posts=tuple(posts),
        notes=notes,
    )


def _parsed(answer: Any) -> Any:
    try:
        return parse_json(answer)
    except (TypeError, ValueError):
        return None


def _rounded(due: Any) -> Any:
    """Return an answer with three decimals at most."""
    if not isinstance(due, list):
        return due
    return [round(part, 3) if isinstance(part, float) else part for part in due]


def _is_one_number(parsed: Sequence[Any]) -> bool:
    return len(parsed) == 1 and isinstance(parsed[0], int | float)


def _indented(payload: Any) -> str:
    return payload if isinstance(payload, str) else indented(payload)
