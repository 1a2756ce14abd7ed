"""Storing references: the same content gives the same bytes, and is loaded unchanged."""

import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from wardboard.scoring.medagentbench import Reference, TaskType, dump_references, load_references

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
references = st.builds(
    Reference,
    task_id=st.builds("{}_{}".format, st.sampled_from(TaskType), st.integers(0, 999)),
    mrn=st.none() | st.text(),
    value=json_values,
    time=st.none() | st.text(),
    order_due=st.none() | st.booleans(),
    referral=st.none() | st.text(),
    unusable=st.none() | st.text(),
)


def by_id(*refs):
    return {ref.task_id: ref for ref in refs}


@given(st.lists(references, unique_by=lambda reference: reference.task_id))
def test_stored_references_are_read_back_unchanged(refs):
    stored = by_id(*refs)
    back = load_references(dump_references(stored))
    assert back == stored
    assert list(back) == list(stored)
    assert dump_references(back) == dump_references(stored)


def test_a_number_keeps_its_type_and_one_that_json_lacks_is_stored_too():
    for value in [7, 7.0, float("nan"), float("inf"), float("-inf")]:
        stored = dump_references(by_id(Reference(task_id="task7_1", value=value)))
        assert repr(load_references(stored)["task7_1"].value) == repr(value)
        assert dump_references(load_references(stored)) == stored


def test_the_bytes_of_known_content_never_change():
    known = by_id(
        Reference(task_id="task4_1", value=2.7),
        Reference(task_id="task10_1", mrn="S1", value=6, time="2020-01-01T00:00:00+00:00", order_due=True),
        Reference(task_id="task2_1", unusable="é"),
    )
    stored = dump_references(known)
    assert stored == (
        b'{"format":"medagentbench-references/1","references":[{"task_id":"task4_1","value":2.7},'
        b'{"mrn":"S1","order_due":true,"task_id":"task10_1","time":"2020-01-01T00:00:00+00:00","value":6},'
        b'{"task_id":"task2_1","unusable":"\\u00e9"}]}'
    )


def test_other_bytes_are_refused_without_quoting_them():
    for data in [
        b"",
        b"[]",
        b"{}",
        b'{"format":"medagentbench-references/2","references":[]}',
        b'{"format":"medagentbench-references/1","references":[{"secret":"x"}]}',
        b'{"format":"medagentbench-references/1","references":[{"task_id":"task1_1","secret":"x"}]}',
        b"\xff",
    ]:
        with pytest.raises(ValueError, match="import the ground truth again") as caught:
            load_references(data)
        assert "secret" not in str(caught.value), data
        assert caught.value.__cause__ is None, data


def test_a_reference_shows_nothing_but_its_task():
    hidden = Reference(task_id="task10_1", mrn="S1", value=6.5, time="2020-01-01", order_due=True)
    assert repr(hidden) == "Reference(task_id='task10_1')"
