"""What explains a verdict agrees with the grader, and says no more than it may."""

import json

import pytest

from tests.support.factories import demo_references
from tests.support.quirks.cases import QUIRKS
from wardboard.scoring.medagentbench.grading import payloads
from wardboard.scoring.medagentbench.grading.explain import (
    compared_posts,
    expected_work,
    failed_check,
    own_work,
)
from wardboard.scoring.medagentbench.grading.graders import grade
from wardboard.scoring.medagentbench.grading.references import Reference
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED_FHIR_BASE
from wardboard.scoring.medagentbench.reasons import Reason

REFERENCES = demo_references()
REFUSED = {"role": "user", "content": "Invalid POST request"}
ACCEPTED = {"role": "user", "content": "POST request accepted: created."}


def post(kind, payload):
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return [{"role": "agent", "content": f"POST {PUBLISHED_FHIR_BASE}{kind}\n{text}"}, ACCEPTED]


def record(task_id, answer, *posts):
    history = [item for kind, payload in posts for item in post(kind, payload)]
    return TaskResult(task_id=task_id, answer=answer, post_history=history)


def verdict(reference, sent):
    return grade(reference, answer=sent.answer, post_history=sent.post_history)


def test_the_grader_accepts_what_is_shown_as_expected():
    for task_id in REFERENCES:
        reference = REFERENCES[task_id]
        expected = expected_work(None, reference)
        posts = [(one.target, one.payload) for one in expected.posts]
        for answer in expected.answers or ("anything",):
            assert verdict(reference, record(task_id, answer, *posts)).correct, task_id


@pytest.mark.parametrize(("title", "reference", "answer", "history", "reason"), QUIRKS)
def test_a_field_is_wrong_where_the_grader_says_so_and_nowhere_else(
    title, reference, answer, history, reason
):
    sent = TaskResult(task_id=reference.task_id, answer=answer, post_history=history or [])
    if reason in (Reason.POST_PAYLOAD, Reason.POST_URL):
        assert any(post.wrong for post in compared_posts(sent, reason, reference))
    elif reason in (Reason.CORRECT, Reason.ANSWER_MISMATCH):
        assert not any(post.wrong for post in compared_posts(sent, Reason.POST_PAYLOAD, reference))


AGE = Reference(task_id="task2_1", value=41)
GLUCOSE, NO_GLUCOSE = Reference(task_id="task6_1", value=97.25), Reference(task_id="task6_1")
PRESSURE = REFERENCES["task3_1"]
NO_MAGNESIUM = Reference(task_id="task5_1")
RIGHT = payloads.payload_due(payloads.BLOOD_PRESSURE, PRESSURE)
SENT, ORDERED = ("Observation", {}), ("MedicationRequest", {})
UNREAD = record("task3_1", "[]", ("Observation", "{"))
NOT_ACCEPTED = TaskResult(task_id="task3_1", answer="[]", post_history=[post(*SENT)[0], REFUSED])
SAYS_POST = TaskResult(
    task_id="task5_1", answer="[-1]", post_history=[{"role": "agent", "content": "No POST is needed."}]
)
RIGHT_BUT_TYPE = "The value is right; its type is wrong (text or number)."


def potassium(level):
    return Reference(task_id="task9_1", value=level, mrn="S1")


def test_the_exact_check_is_in_plain_words():
    for reference, sent, words in [
        (GLUCOSE, record("task6_1", "[98.2]"), "The number is outside the tolerance."),
        (GLUCOSE, record("task6_1", "98"), "The answer is not a list."),
        (NO_GLUCOSE, record("task6_1", "[98.2]"), "There is no measurement: -1 was expected."),
        (AGE, record("task2_1", '["41"]'), RIGHT_BUT_TYPE),
        (AGE, record("task2_1", "41"), "The value is right, but not in a list."),
        (AGE, record("task2_1", "[41, 42]"), "The answer has 2 values; 1 was expected."),
        (PRESSURE, record("task3_1", "[]"), "The POST is missing."),
        (PRESSURE, UNREAD, "The content of a POST is not JSON, so it does not count."),
        (PRESSURE, NOT_ACCEPTED, "A POST was not accepted, so it does not count."),
        (
            PRESSURE,
            record("task3_1", "[]", ("Patient", {})),
            f"A POST went to the wrong address: {PUBLISHED_FHIR_BASE}Observation was due.",
        ),
        (NO_MAGNESIUM, SAYS_POST, "A message has the word POST, which counts as a POST; none was due."),
        (PRESSURE, record("task3_1", "[]", SENT, SENT), "2 POSTs were accepted. One POST was expected."),
        (
            PRESSURE,
            record("task3_1", "[]", ("Observation", {**RIGHT, "status": "draft", "code": {"text": "bp"}})),
            "POST (Observation): wrong code, status",
        ),
        (potassium(3.0), record("task9_1", "[3.0]", ORDERED), "One of two POSTs is missing."),
        (potassium(4.0), record("task9_1", "[4.0]", ORDERED), "The level is not low: no order was due."),
        (
            Reference(task_id="task2_1", value=41, unusable="no patient"),
            record("task2_1", "[41]"),
            "No answer can be right: the reference cannot be used.",
        ),
    ]:
        reason = verdict(reference, sent).reason
        assert str(failed_check(sent, reason, reference)) == words, reference


def test_the_failed_check_follows_from_file_and_class():
    for sent, reason, words in [
        (record("task3_1", "[]", SENT, SENT), "post-count", "2 POSTs were accepted; another number was due."),
        (record("task3_1", "[]"), "post-count", "No POST was accepted; at least one was due."),
        (record("task2_1", "[1]", SENT), "unexpected-post", "1 POST was sent where none was due."),
        (record("task6_1", "[98.2]"), "answer-mismatch", "The answer is wrong."),
    ]:
        assert failed_check(sent, reason) == words


def test_posts_are_compared_with_those_due_and_missing_and_superfluous_ones_are_named():
    low, medication = potassium(3.0), payloads.payload_due(payloads.POTASSIUM, potassium(3.0))
    medication["dosageInstruction"][0]["doseAndRate"][0]["doseQuantity"]["value"] = 5
    ordered, test = ("MedicationRequest", {**medication, "priority": "stat"}), ("ServiceRequest", {})
    dose = [("dosageInstruction[0].doseAndRate[0].doseQuantity.value", "50.0", "5")]
    first, second = compared_posts(record("task9_1", "[3.0]", ordered), "post-count", low)
    assert [*first.wrong] == dose
    assert second.verdict == "missing"
    posts = compared_posts(record("task9_1", "[3.0]", ordered, test, test), "post-count", low)
    assert [len(post.wrong) for post in posts] == [1, 8, 0]
    assert posts[-1].verdict == "not due"
    assert compared_posts(SAYS_POST, "unexpected-post", NO_MAGNESIUM) == ()
    deep = record("task3_1", "[]", ("Observation", '{"subject": %s}' % ("[" * 980 + "]" * 980)))
    assert compared_posts(deep, "post-payload", PRESSURE)[0].wrong[-1].sent == "…"
    assert own_work(deep).posts[0].payload == "…"
