"""The published retrieval cases: what the official functions gave, and the paper's formulas."""

import json

import pytest

from scoring.fhir_agentbench import score_retrieval
from scoring.fhir_agentbench.retrieval import ResourcesInvalid
from tests.shared import FHIR_AGENTBENCH, needs_shared

pytestmark = needs_shared


def cases():
    with (FHIR_AGENTBENCH / "retrieval_cases.ndjson").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def found(case):
    try:
        return score_retrieval(case["true_fhir_ids"], case["agent_fhir_resources"])
    except ResourcesInvalid:
        return None


def test_no_case_differs_from_the_official_figures():
    expected, got = {}, {}
    for case in cases():
        figures = found(case)
        got[case["case_id"]] = figures and (figures.precision, figures.recall)
        raises = "official_error" in case
        expected[case["case_id"]] = None if raises else (case["precision"], case["recall"])
    assert len(expected) == 2290
    assert {key: got[key] for key in got if got[key] != expected[key]} == {}


def test_no_case_differs_from_the_formulas_of_the_paper():
    expected, got = {}, {}
    for case in cases():
        if figures := found(case):
            got[case["case_id"]] = (figures.precision_all_types, figures.recall_fraction)
            expected[case["case_id"]] = (case["precision_paper"], case["recall_paper"])
    assert len(expected) == 2260
    assert {key: got[key] for key in got if got[key] != pytest.approx(expected[key], abs=1e-12)} == {}


def test_exactly_the_cases_that_stop_the_official_run_are_refused():
    refused = {case["case_id"] for case in cases() if found(case) is None}
    assert refused == {case["case_id"] for case in cases() if "official_error" in case}
    assert len(refused) == 30


@pytest.mark.parametrize("as_list", [tuple, list])
def test_it_does_not_matter_how_the_reference_holds_its_ids(as_list):
    for case in cases():
        held = {kind: as_list(ids) for kind, ids in case["true_fhir_ids"].items()}
        assert found(case) == found(case | {"true_fhir_ids": held})
