"""`grade` on unexpected input: hostile text, deep nesting, other server addresses."""

import json
import threading

import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from tests.support.quirks.orders import (
    ACCEPTED,
    BLOOD_PRESSURE,
    HBA1C_TEST,
    MRN,
    ORTHOPAEDICS,
    REFERRAL,
    agent,
    magnesium,
    posted,
    potassium,
    put,
)
from wardboard.scoring.medagentbench import Reason, Reference, grade
from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.medagentbench.reading.answers import MAX_DEPTH
from wardboard.scoring.verdicts import Verdict

MEDAGENTBENCH = MedAgentBench()
REFERENCES = [
    Reference(task_id="task1_1", value=["S9000001"]),
    Reference(task_id="task2_1", value=60),
    Reference(task_id="task3_1", mrn=MRN),
    Reference(task_id="task4_1", value=2.7),
    Reference(task_id="task5_1", mrn=MRN, value=1.2),
    Reference(task_id="task5_2", mrn=MRN),
    Reference(task_id="task6_1", value=89.88888889),
    Reference(task_id="task7_1", value="text"),
    Reference(task_id="task8_1", mrn=MRN, referral=REFERRAL),
    Reference(task_id="task9_1", mrn=MRN, value=3.0),
    Reference(task_id="task10_1", mrn=MRN, order_due=True),
    Reference(task_id="task10_2", mrn=MRN, value=5.9, time="2023-11-09T03:05:00+00:00", order_due=False),
    Reference(task_id="task7_2", unusable="no server"),
]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


# Accepted POSTs with one arbitrary field, which are right otherwise.
orders = st.builds(
    lambda order, field, value: posted(put(order, field, value)),
    st.sampled_from([BLOOD_PRESSURE, magnesium(2), potassium(50), ORTHOPAEDICS, HBA1C_TEST]),
    st.sampled_from(["subject", "status", "code", "note", "dosageInstruction", "category", "authoredOn"]),
    anything,
)
items = anything | st.text().map(lambda text: agent("POST " + text)) | st.just(ACCEPTED)
histories = st.none() | st.lists(items, max_size=6) | orders


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda reference: reference.task_id)
@given(answer=anything | anything.map(json.dumps), history=histories)
def test_anything_as_answer_and_history_gives_a_verdict(reference, answer, history):
    verdict = grade(reference, answer=answer, post_history=history)
    assert isinstance(verdict, Verdict)
    assert verdict.correct is (verdict.reason == Reason.CORRECT)
    assert verdict.reason in MEDAGENTBENCH.reasons


def nested(depth):
    """Return a right history whose payload nests `depth` levels: an object, then lists."""
    payload = (
        json.dumps(BLOOD_PRESSURE)[:-1] + ', "extension": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
    )
    return [agent(f"POST http://localhost:8080/fhir/Observation\n{payload}"), ACCEPTED]


def at_depth(frames, call):
    """Return call() from `frames` more frames down the stack."""
    return call() if frames == 0 else at_depth(frames - 1, call)


@pytest.mark.parametrize("frames", [0, 800])
@pytest.mark.parametrize(
    ("depth", "reason"),
    [(MAX_DEPTH, Reason.CORRECT), (MAX_DEPTH + 1, Reason.POST_COUNT), (100_000, Reason.POST_COUNT)],
)
def test_the_depth_that_parses_does_not_depend_on_our_own_stack(depth, reason, frames):
    history = nested(depth)
    verdicts = []

    def work():
        verdicts.append(at_depth(frames, lambda: grade(REFERENCES[2], answer="[]", post_history=history)))

    # In a new thread, because the stack of the test runner is deep already.
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert verdicts[0].reason == reason


def test_posts_must_go_to_the_published_address():
    history = posted(BLOOD_PRESSURE, base="https://fhir.example/r4/")
    assert grade(REFERENCES[2], answer="[]", post_history=history).reason == Reason.POST_URL


def test_the_first_check_that_fails_gives_the_reason():
    wrong_twice = [*posted(magnesium(1), "Observation"), *posted(magnesium(1))]
    low = REFERENCES[4]
    assert grade(low, answer="x", post_history=wrong_twice).reason == Reason.POST_COUNT
    assert grade(low, answer="x", post_history=wrong_twice[:2]).reason == Reason.POST_URL
    assert grade(low, answer="x", post_history=wrong_twice[2:]).reason == Reason.POST_PAYLOAD
    assert grade(low, answer="x", post_history=posted(magnesium(2))).reason == Reason.ANSWER_NOT_JSON
    assert grade(low, answer="[1]", post_history=posted(magnesium(2))).reason == Reason.ANSWER_MISMATCH
    assert grade(low, answer="[1.2]", post_history=posted(magnesium(2))).reason == Reason.CORRECT
