"""The published retrieval cases: the results of the official functions, and the paper's formulas."""

import json

import pytest

from tests.support.scoring.files import kept_records, refused
from tests.support.shared_data import FHIR_AGENTBENCH, needs_shared
from wardboard.scoring.fhir_agentbench import ResourcesInvalid, score_retrieval
from wardboard.scoring.fhir_agentbench.benchmark import FhirAgentBench
from wardboard.scoring.fhir_agentbench.grading.retrieval import GoldResources, compute_retrieval

pytestmark = needs_shared


def cases():
    with (FHIR_AGENTBENCH / "retrieval_cases.ndjson").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def result(case):
    try:
        return score_retrieval(case["true_fhir_ids"], case["agent_fhir_resources"])
    except ResourcesInvalid:
        return None


def test_no_case_differs_from_the_official_figures():
    expected, got = {}, {}
    for case in cases():
        figures = result(case)
        got[case["case_id"]] = figures and (figures.precision, figures.recall)
        raises = "official_error" in case
        expected[case["case_id"]] = None if raises else (case["precision"], case["recall"])
    assert len(expected) == 2290
    assert {key: got[key] for key in got if got[key] != expected[key]} == {}


def test_no_case_differs_from_the_formulas_of_the_paper():
    expected, got = {}, {}
    for case in cases():
        if figures := result(case):
            got[case["case_id"]] = (figures.precision_all_types, figures.recall_fraction)
            expected[case["case_id"]] = (case["precision_paper"], case["recall_paper"])
    assert len(expected) == 2260
    assert {key: got[key] for key in got if got[key] != pytest.approx(expected[key], abs=1e-12)} == {}


def read_from_a_file(chosen):
    """Return case id -> resources, as read from a submission with a record for each case."""
    records = [
        {
            "question_id": f"{case['case_id']:024x}",
            "agent_answer": None,
            "agent_fhir_resources": case["agent_fhir_resources"],
        }
        for case in chosen
    ]
    ids = [record["question_id"] for record in records]
    found = kept_records(FhirAgentBench(), json.dumps(records).encode(), task_ids=ids)
    return {int(record.task_id, 16): record.resources for record in found}


def test_records_read_from_a_file_give_the_same_figures():
    chosen = [case for case in cases() if "official_error" not in case]
    resources = read_from_a_file(chosen)
    assert len(resources) == 2260
    for case in chosen:
        truth = GoldResources(case["true_fhir_ids"])
        assert compute_retrieval(truth, resources[case["case_id"]]) == result(case), case["case_id"]


def test_a_file_is_refused_exactly_at_the_cases_that_stop_the_official_run():
    problems = refused(read_from_a_file, cases())
    assert {problem.code for problem in problems} == {"resources.nested-ids"}
    stopping = [number for number, case in enumerate(cases()) if "official_error" in case]
    assert [int(problem.pointer.split("/")[1]) for problem in problems] == stopping
