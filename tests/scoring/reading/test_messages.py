"""Phrases: texts that keep their template and values."""

import copy
import json
import pickle

from hypothesis import strategies as st

from tests.support.examples import given
from tests.support.scoring import fhir_submissions as fhir
from tests.support.scoring import medagentbench_samples
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_from_parts, phrase_n

FILES = [
    fhir.array({"question_id": 7}, [1], {"agent_answer": [1, 2], "surprise": 1}),
    fhir.array(fhir.record(0), fhir.record(0, agent_answer={"a": 1}, usage={"cost": "much"})),
    fhir.array(fhir.record(0, agent_fhir_resources={"patients": ["Patient/1"], "observations": "a"})),
    fhir.array(fhir.record(0, agent_fhir_resources={"Patient": [[]], "Encounter": [1], "Location": 5})),
    fhir.array(fhir.record(0, agent_fhir_resources="nothing", error=3)),
    fhir.array(fhir.record(0)).rstrip()[:-3],
    fhir.array(fhir.record(0)) + b"{}",
    fhir.array(fhir.record(0)).replace(b'"question_id"', b"question_id"),
    fhir.lines(fhir.record(0), fhir.record(0)),
    fhir.table(fhir.record(0)) + b"1,2\n",
    fhir.table({"question_id": 1, "agent_answers": 2}),
    fhir.table({"question_id": 1, "agent_answer": 2, "agent_fhir_resources": 3}).rstrip() + b'"',
    b'{"results": [{"task_id": "task1_1"}]}',
    b'{"records": [{"question_id": "1"}]}',
    b"%PDF-1.7",
    b"\xff\xfeh\x00i\x00",
    b'[{"question_id": "caf\xe9"}]',
    b"",
]


def test_every_text_of_every_remark_remembers_its_template():
    remarks = []
    for sample in medagentbench_samples.SAMPLES:
        for found in medagentbench_samples.read(sample.raw):
            remarks += found.listed
    for file in FILES:
        outcome = fhir.read(file)
        remarks += [*outcome.problems, *outcome.warnings]
    assert len({remark.code for remark in remarks}) > 50
    assert [r for r in remarks if not (isinstance(r.message, Phrase) and isinstance(r.hint, Phrase))] == []


def test_every_fix_remembers_its_template():
    assert all(isinstance(code.fix, Phrase) for codes in (DocumentCode, Code, FhirCode) for code in codes)


def test_a_text_is_formatted_where_it_has_values_and_counts_one_in_the_singular():
    assert phrase('Write {"version": "v2"}.') == 'Write {"version": "v2"}.'
    for n, text in ((0, "0 records"), (1, "1 record"), (4300, "4,300 records")):
        assert phrase_n("{n:,} record", "{n:,} records", n) == text


@given(st.text(), st.integers())
def test_a_text_survives_json_pickling_and_copying(name, n):
    inner = phrase("“{name}”", name=name)
    text = phrase_n("{inner} in {n:,} record of {{}}", "{inner} in {n:,} records", n, inner=inner)
    for again in (
        phrase_from_parts(json.loads(json.dumps(text.parts()))),
        pickle.loads(pickle.dumps(text)),
        copy.deepcopy(text),
    ):
        assert (again, again.parts()) == (text, text.parts())
