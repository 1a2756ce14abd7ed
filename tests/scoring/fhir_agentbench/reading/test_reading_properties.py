"""Every file gives a Reading or SubmissionInvalid, the same each time, however it arrives."""

import json
from unittest import mock

import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support.examples import examples, given
from tests.support.scoring.fhir_submissions import IDS, array, lines, read, record, table
from tests.support.scoring.odd_values import check_remarks, texts, values
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.schema_check import RESULT, schemas
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.formats.rows.columns import columns_of
from wardboard.scoring.reading.json_schema.check import SchemaCheck
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.streams import json_stream, text_stream

thorough = settings(max_examples=examples(200))
SMALL = Limits(
    body_bytes=8192, unpacked_bytes=8192, depth=12, text_bytes=60, results=6, containers=60, record_bytes=2000
)


def check(raw, limits=SMALL):
    result = read(raw, limits)
    if result.reading is None:
        assert result.problems
    else:
        assert len(result.records) == result.reading.count > 0
        assert all(kept.task_id in IDS for kept in result.records)
    check_remarks([*result.problems, *result.warnings])
    return result


@thorough
@given(
    st.binary(max_size=200),
    st.sampled_from([b"\x1f\x8b\x08", b"{", b"[", lines(record()), array(record())[:-1], table(record())]),
)
def test_any_bytes_after_a_known_beginning_are_read_or_rejected(raw, beginning):
    check(beginning + raw)


OF_SHAPE = {DocumentCode.FIELD_MISSING, DocumentCode.FIELD_TYPE, FhirCode.NESTED_IDS}


def read_both_ways(raw):
    """Return the problems of a file, which are the same without jsonschema_rs."""
    outcome = read(raw)
    with mock.patch.object(SchemaCheck, "is_surely_valid", return_value=False):
        plain = read(raw)
    remarks = (outcome.problems, outcome.warnings, outcome.records)
    assert (plain.problems, plain.warnings, plain.records) == remarks
    return outcome.problems


resources = st.dictionaries(
    st.sampled_from(["Patient", "error", "patients"]) | texts,
    values | st.lists(texts, max_size=3),
    max_size=3,
)
odd_records = values | st.fixed_dictionaries(
    {},
    optional={
        "question_id": st.sampled_from(IDS) | values,
        "agent_answer": values,
        "agent_fhir_resources": resources | resources.map(json.dumps) | resources.map(repr) | values,
        "error": values,
        "usage": values | st.dictionaries(st.sampled_from(["cost", "prompt_tokens"]), values),
        "more": values,
    },
)


@settings(max_examples=examples(400))
@given(odd_records)
def test_a_record_has_a_problem_of_shape_exactly_where_the_schema_rejects_it(value):
    read_both_ways(lines(value, record()))
    if isinstance(value, dict) and isinstance(value.get("question_id"), str):
        value["question_id"] = IDS[0]
    codes = {problem.code for problem in read_both_ways(array(value))}
    seen = json.loads(json.dumps(value), parse_constant=lambda name: None)
    # Once a file has another layout, its records are not checked.
    assume(not any(code.startswith(("records.", "layout.")) for code in codes))
    if isinstance(seen, dict):
        # A schema cannot check the contents of a text.
        assume(not isinstance(seen.get("agent_fhir_resources"), str))
        if seen.get("error"):
            seen = {"agent_answer": None, "agent_fhir_resources": None, **seen}
        if seen.get("question_id", "") is None:
            seen["question_id"] = 0
    # Rows of an id and a text in any other field are no records of the runner.
    assume(not columns_of([value], IDS.__contains__, FhirCode.LAYOUT))
    assert bool(codes & OF_SHAPE) == (not Draft202012Validator(schemas()[RESULT]).is_valid([seen]))


def test_resources_written_as_text_are_checked_by_the_schema_too():
    for text, places in [
        ("{'Patient': ('a', ['b'], ['c']), 'error': [['d']]}", ["Patient/1"]),
        ("{'Patient': [('a',), 'b', {'c'}], 'Observation': [{}]}", ["Patient/2", "Observation/0"]),
        ('{"Patient": ["a", [null]], "Observation": [{}, []]}', ["Patient/1", "Observation/0"]),
        ("{'Patient': {'a', 'b'}, 'Observation': [('c', [])], 'Location': 'd'}", []),
    ]:
        problems = read_both_ways(table(record(0, agent_fhir_resources=text)))
        nested = [(p.pointer, p.line) for p in problems if p.code == FhirCode.NESTED_IDS]
        assert nested == [(f"/agent_fhir_resources/{place}", 2) for place in places], text


JSON_FILES = [
    array(*(record(n, agent_answer="é€😀\\" * n) for n in range(6)), indent=2, ensure_ascii=False),
    array(record(0), 5, -1.5e3, "x", None, [], record(0, agent_fhir_resources=[{}]), float("nan")),
    array(record(0), record(1)).replace(b"null", b"nul", 1),
    array(record(0), record(1), indent=1)[:-20],
    array(record(0), record(1), indent=1).replace(b"},\n {", b"}\n {") + b" and more",
    lines(record(0), record(1), 12, record(0)),
    lines(record(0)) + b'{"a": \n' + lines(record(0)),
]


@pytest.mark.parametrize("raw", JSON_FILES)
@pytest.mark.parametrize("piece", [1, 64])
def test_a_file_is_read_the_same_whatever_the_size_of_its_pieces(raw, piece, monkeypatch):
    whole = read(raw)
    monkeypatch.setattr(text_stream, "PIECE", piece)
    monkeypatch.setattr(json_stream, "_LEAST_GROWTH", piece)
    monkeypatch.setattr(json_stream, "_MOST_GROWTH", 4 * piece)
    assert read(raw) == whole
