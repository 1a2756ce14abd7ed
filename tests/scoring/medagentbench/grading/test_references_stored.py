"""Storing references: the same content gives the same bytes, and is loaded unchanged."""

import pytest

from wardboard.scoring.medagentbench import Reference, dump_references, load_references

HIDDEN = Reference(task_id="task10_1", mrn="S1", value=6, time="2020-01-01T00:00:00+00:00", order_due=True)


def test_the_bytes_of_known_content_never_change():
    refs = (Reference(task_id="task4_1", value=2.7), HIDDEN, Reference(task_id="task2_1", unusable="é"))
    known = {ref.task_id: ref for ref in refs}
    stored = dump_references(known)
    assert stored == (
        b'{"format":"medagentbench-references/1","references":[{"task_id":"task4_1","value":2.7},'
        b'{"mrn":"S1","order_due":true,"task_id":"task10_1","time":"2020-01-01T00:00:00+00:00","value":6},'
        b'{"task_id":"task2_1","unusable":"\\u00e9"}]}'
    )
    assert list(load_references(stored).items()) == list(known.items())
    assert repr(HIDDEN) == "Reference(task_id='task10_1')"


def test_a_number_keeps_its_type_and_one_that_json_lacks_is_stored_too():
    for value in [7, 7.0, float("nan"), float("inf"), {"a": [None, True]}]:
        stored = dump_references({"task7_1": Reference(task_id="task7_1", value=value)})
        assert repr(load_references(stored)["task7_1"].value) == repr(value)


def test_other_bytes_are_refused_without_quoting_them():
    row = b'{"format":"medagentbench-references/1","references":[{"task_id":"task1_1","secret":"x"}]}'
    for data in [b"", b"[]", b'{"format":"medagentbench-references/2","references":[]}', row, b"\xff"]:
        with pytest.raises(ValueError, match="import the ground truth again") as caught:
            load_references(data)
        assert "secret" not in str(caught.value), data
        assert caught.value.__cause__ is None, data
