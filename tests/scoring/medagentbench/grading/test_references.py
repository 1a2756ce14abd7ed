"""Building references: windows, ties, zones, birthdays and malformed server data."""

import json
import math
from unittest.mock import Mock, call

import pytest

from wardboard.scoring.fhir import FhirUnavailable, RecordedFhir
from wardboard.scoring.medagentbench import (
    Reference,
    TasksInvalid,
    build_references,
    dump_references,
    grade,
    load_references,
)

MRN = "S9000001"
NOON = "2023-11-13T12:00:00+00:00"


@pytest.fixture
def source(tmp_path):
    """Return a function that makes a recording with these entries for each lab code and for Patient."""

    def make(**entries):
        path = tmp_path / "fhir.ndjson"
        with path.open("w", encoding="utf-8") as file:
            for query_key, entry_list in entries.items():
                query = (
                    f"Patient?identifier={MRN}"
                    if query_key == "Patient"
                    else f"Observation?patient={MRN}&code={query_key}&_count=5000"
                )
                body = {"resourceType": "Bundle"} | ({} if entry_list is None else {"entry": entry_list})
                line = {"url": f"http://localhost:8080/fhir/{query}", "status": 200, "body": body}
                file.write(json.dumps(line) + "\n")
        return RecordedFhir(path)

    return make


def lab(time, value):
    return {"resource": {"effectiveDateTime": time, "valueQuantity": {"value": value}}}


def born(date):
    return [{"resource": {"birthDate": date}}]


def task(number, n=1, **more):
    return {"id": f"task{number}_{n}", "instruction": "", "context": "", "eval_MRN": MRN, **more}


def reference(number, source, **more):
    [built] = build_references([task(number, **more)], source).values()
    return built


@pytest.fixture
def measured(source):
    """Return a function that builds the reference of a task of a type from these results of its lab code."""

    def build(number, *entries):
        return reference(number, source(**{CODES[number]: list(entries)}))

    return build


CODES = {4: "MG", 5: "MG", 6: "GLU", 7: "GLU", 9: "K", 10: "A1C"}
LABS = sorted(CODES)


def test_the_age_is_in_whole_years_on_13_november_2023(source):
    for date, age in [
        ("1963-11-12", 60),
        ("1963-11-13", 60),
        ("1963-11-14", 59),
        ("1963-12-01", 59),
        ("1964-02-29", 59),
        ("2023-11-13", 0),
        ("2023-11-14", -1),
        ("1963-1-2", 60),
    ]:
        assert reference(2, source(Patient=born(date))).value == age, date


def test_an_invalid_birth_date_or_none_is_unusable(source):
    for date in ["1963", "1963-11", "1963-02-29", "13/11/1963", None, 1963]:
        built = reference(2, source(Patient=born(date)))
        assert "the official grader raises" in built.unusable, date
        assert built.value is None, date
    for entries in [None, [], [{}], [{"resource": {}}], [None]]:
        assert reference(2, source(Patient=entries)).unusable, entries


def test_recent_is_24_hours_before_now_or_later(measured):
    recent = ["2023-11-12T10:15:00+00:00", "2023-11-12T05:15:00-05:00", "2023-11-12T10:15:00Z"]
    old = ["2023-11-12T10:14:59+00:00", "2023-11-12T10:14:59.999999+00:00", "2023-11-12T15:44:59+05:30"]
    for time in [*recent, "2023-11-20T00:00:00+00:00", *old]:
        for number in [4, 5]:
            assert measured(number, lab(time, 1.2)).value == (None if time in old else 1.2), time
    window = [lab(old[0], 500), lab(recent[0], 90), lab("2023-11-14T00:00:00+00:00", 91)]
    assert measured(6, *window).value == 90.5
    assert measured(6, window[0]).value is None


def test_the_mean_is_added_up_in_doubles_one_by_one(measured):
    # The sum is 0.9999999999999999; with corrected rounding it would be 1.0.
    assert measured(6, *[lab(NOON, 0.1)] * 10).value == 0.09999999999999999
    # The same for whole numbers: the 1 is lost.
    assert measured(6, lab(NOON, 2**53), lab(NOON, 1)).value == 2**52


def test_without_a_window_the_last_of_all_counts_and_the_first_of_equal_times(measured):
    for number in [7, 9, 10]:
        entries = [lab("2001-01-01T00:00:00+00:00", 4.1), lab("1999-01-01T00:00:00+00:00", 4.2)]
        assert measured(number, *entries).value == 4.1, number
    for number in [4, 5, 7, 9, 10]:
        entries = [lab("2023-11-13T04:00:00+00:00", 1), lab("2023-11-12T23:00:00-05:00", 2)]
        assert measured(number, *entries).value == 1, number


def test_a_bundle_without_entry_or_a_last_value_of_null_is_no_measurement(source, measured):
    for number in LABS:
        built = reference(number, source(**{CODES[number]: None}))
        assert (built.value, built.unusable) == (None, None), number
    for number in [4, 5, 7, 9, 10]:
        built = measured(number, lab("2023-11-13T04:00:00+00:00", 9.9), lab(NOON, None))
        assert (built.value, built.unusable) == (None, None), number
        assert number != 10 or built.order_due is True, number


def test_values_that_doubles_cannot_add_make_a_mean_unusable(measured):
    for value in (None, "90", [90], 10**400):
        assert measured(6, lab(NOON, 90), lab(NOON, value)).unusable
    assert measured(6, lab("2023-01-01T00:00:00+00:00", None), lab(NOON, 90)).value == 90


def test_a_last_value_that_is_text_is_unusable_where_a_threshold_is(measured):
    for number, usable in [(4, True), (5, False), (7, True), (9, False), (10, True)]:
        built = measured(number, lab(NOON, "1.2"))
        assert (built.unusable is None) is usable, number
        assert built.value == ("1.2" if usable else None), number


def test_a_time_without_zone_matters_only_where_it_is_compared(measured):
    for number, usable in [(4, False), (5, False), (6, False), (7, True), (9, True), (10, False)]:
        built = measured(number, lab("2023-11-13T04:00:00", 1.2))
        assert (built.unusable is None) is usable, number
        mixed = measured(number, lab("2023-11-13T04:00:00+00:00", 1.2), lab("2023-11-13T05:00:00", 1.3))
        assert "offset-naive" in mixed.unusable, number
    built = measured(10, lab("2023-11-13T04:00:00", None))
    assert (built.unusable, built.order_due) == (None, True)


def test_one_malformed_entry_is_enough_however_old(measured):
    old = "2001-01-01T00:00:00+00:00"
    for number in LABS:
        for entry in [
            {"resource": {"valueQuantity": {"value": 1}}},
            lab("yesterday", 1),
            {"resource": {"effectiveDateTime": old}},
            {"resource": {"effectiveDateTime": old, "valueQuantity": "1"}},
            None,
        ]:
            built = measured(number, lab(NOON, 1.2), entry)
            assert f"entry 1 of Observation?_count=5000&code={CODES[number]}&patient={MRN}" in built.unusable
            assert grade(built, answer="[1.2]", post_history=[]).reason == "reference-unusable", number


def test_an_hba1c_is_old_from_a_year_ago(measured):
    for time, due in [
        ("2022-11-13T10:15:00+00:00", False),
        ("2022-11-13T10:14:59+00:00", True),
        ("2022-11-13T05:15:00-05:00", False),
        ("2022-11-13T12:14:59+02:00", True),
        ("2023-12-01T00:00:00+00:00", False),
    ]:
        built = measured(10, lab(time, 6))
        assert (built.value, built.time, built.order_due) == (6, time, due), time


def test_the_referral_text_is_taken_from_the_instruction_and_needed(source):
    text = "Situation: knee.\nRecommendation: give management recommendations."
    instruction = f'Write "{text}" please. No more management recommendations.'
    built = reference(8, source(Patient=None), instruction=instruction)
    assert (built.referral, built.mrn) == (text, MRN)
    for without in ["", "Situation: none", None, 8]:
        assert "no referral text" in reference(8, source(Patient=None), instruction=without).unusable, without


def test_an_outage_never_makes_an_answer_wrong():
    down = Mock(search=Mock(side_effect=FhirUnavailable("Observation?patient=S9000001", "HTTP 503")))
    with pytest.raises(FhirUnavailable):
        build_references([task(4)], down)


def test_each_query_is_asked_once_and_one_that_fails_makes_its_tasks_alone_unusable(source):
    counting = Mock(wraps=source(MG=None, Patient=born("1963-11-13") + born("1970-01-01")))
    tasks = [task(4), task(5), task(5, 2), task(2), task(2, 2), task(7), task(1, sol=["Patient not found"])]
    text = "Situation: x management recommendations."
    nobody = [task(number, 3, eval_MRN="", instruction=text) for number in range(2, 11)]
    built = build_references([*tasks, *nobody], counting)
    assert counting.search.call_args_list == [
        call("Observation", patient=MRN, code="MG", _count="5000"),
        call("Patient", identifier=MRN),
        call("Observation", patient=MRN, code="GLU", _count="5000"),
    ]
    assert list(built)[:7] == [each["id"] for each in tasks]
    # Of several patients the first counts.
    assert (built["task2_2"].value, built["task1_1"].value) == (60, ["Patient not found"])
    assert "it is not in the recording" in built["task7_1"].unusable
    assert all("eval_MRN" in built[f"task{number}_3"].unusable for number in range(2, 11))


def test_every_malformed_entry_is_named_before_any_query():
    tasks = [task(3), "x", {"id": 7}, task(11), {"id": "task0_1"}, {}, task(3), {"id": "task3_1\n"}]
    solutions = [None, "x", {}, [], [" "], [math.nan], ["x", None], [["x"]]]
    tasks += [task(1, n, sol=sol) for n, sol in enumerate(solutions)]
    with pytest.raises(TasksInvalid) as caught:
        build_references(tasks, None)
    pointers = [problem.pointer for problem in caught.value.problems]
    assert pointers[:7] == ["/1", "/2/id", "/3/id", "/4/id", "/5/id", "/6/id", "/7/id"]
    assert pointers[7:] == [f"/{8 + n}/sol" for n in range(len(solutions))]
    assert "entry 6 has id task3_1, as entry 0 has" in str(caught.value)
    assert all(problem.hint for problem in caught.value.problems)
    for no_list in [None, {}, "task1_1"]:
        with pytest.raises(TasksInvalid, match="not a list of tasks"):
            build_references(no_list, None)


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
