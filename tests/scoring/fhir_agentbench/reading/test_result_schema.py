"""The reader agrees with the released schema."""

import json
from unittest import mock

import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support.examples import examples, given
from tests.support.scoring.fhir_submissions import IDS, array, lines, read, record, table
from tests.support.scoring.odd_records import odd_records
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.schema_check import RESULT, schemas
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.json_schema.check import SchemaCheck

OF_SHAPE = {DocumentCode.FIELD_MISSING, DocumentCode.FIELD_TYPE, FhirCode.NESTED_IDS}


def valid(value):
    return Draft202012Validator(schemas()[RESULT]).is_valid(value)


@settings(max_examples=examples(400))
@given(odd_records)
def test_a_record_has_a_problem_of_shape_exactly_where_the_schema_rejects_it(value):
    if isinstance(value, dict):
        resources = value.get("agent_fhir_resources")
        # A schema cannot check the contents of a text.
        assume(not isinstance(resources, str))
        if isinstance(value.get("question_id"), str):
            value["question_id"] = IDS[0]
    seen = json.loads(json.dumps(value), parse_constant=lambda name: None)
    if isinstance(seen, dict) and seen.get("question_id", "") is None:
        seen["question_id"] = 0
    result = {problem.code for problem in read(array(value)).problems}
    # Once a file has another layout, its records are not checked.
    assume(not any(code.startswith("records.") for code in result))
    assert bool(result & {code.value for code in OF_SHAPE}) == (not valid([seen]))


def remarks(raw):
    result = read(raw)
    return [result.problems, result.warnings, result.records]


def without_jsonschema_rs(raw):
    with mock.patch.object(SchemaCheck, "is_surely_valid", return_value=False):
        return remarks(raw)


@settings(max_examples=examples(300))
@given(st.lists(odd_records, min_size=1, max_size=4), st.sampled_from([array, lines]))
def test_records_have_the_same_remarks_with_and_without_jsonschema_rs(values, write):
    raw = write(*values)
    assert remarks(raw) == without_jsonschema_rs(raw)


def test_odd_values_have_the_same_remarks_with_and_without_jsonschema_rs():
    for field in [
        {"question_id": IDS[0] + "\n"},
        {"question_id": "\ud800"},
        {"agent_answer": 10**4000},
        {"agent_fhir_resources": {"\ud800": ["a"], "Patient": [["b"]]}},
        {"agent_fhir_resources": {"Patient": ["\ud800", float("inf"), 1e400, 10**400, 1.0, True, None]}},
        {"agent_fhir_resources": {"Patient": ["a", {"b": 1}, ["c"]], "error": [["d"]], "Observation": [[]]}},
    ]:
        raw = array(record(1), record(0, **field))
        assert remarks(raw) == without_jsonschema_rs(raw), field


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("{'Patient': ('a', ['b'], ['c']), 'error': [['d']]}", ["Patient/1"]),
        ("{'Patient': [('a',), 'b', {'c'}], 'Observation': [{}]}", ["Patient/2", "Observation/0"]),
        ('{"Patient": ["a", [null]], "Observation": [{}, []]}', ["Patient/1", "Observation/0"]),
        ("{'Patient': {'a', 'b'}, 'Observation': [('c', [])], 'Location': 'd'}", []),
    ],
)
def test_resources_written_as_text_are_checked_by_the_schema_too(text, places):
    raw = table(record(0, agent_fhir_resources=text))
    nested = [p for p in read(raw).problems if p.code == FhirCode.NESTED_IDS.value]
    assert [p.pointer for p in nested] == [f"/agent_fhir_resources/{place}" for place in places]
    assert {p.line for p in nested} <= {2}
    assert remarks(raw) == without_jsonschema_rs(raw)
