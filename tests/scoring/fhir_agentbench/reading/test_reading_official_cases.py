"""The official retrieval cases as a submission: reading does not change their scores."""

import json

from tests.support.scoring.fhir_submissions import array, read
from tests.support.shared_data import PAPER_RESULTS, needs_shared
from wardboard.scoring.fhir_agentbench import score_retrieval

CASES = PAPER_RESULTS.with_name("retrieval_cases.ndjson")


def cases():
    return [json.loads(line) for line in CASES.read_bytes().splitlines()]


def rows(chosen):
    return [
        {
            "question_id": f"{case['case_id']:024x}",
            "agent_answer": "x",
            "agent_fhir_resources": case["agent_fhir_resources"],
        }
        for case in chosen
    ]


@needs_shared
def test_kept_resources_score_as_the_official_functions_score_them():
    chosen = {f"{case['case_id']:024x}": case for case in cases() if "official_error" not in case}
    result = read(array(*rows(chosen.values())), ids=tuple(chosen))
    assert len(result.records) == len(chosen) == 2260
    for kept in result.records:
        case = chosen[kept.task_id]
        figures = score_retrieval(case["true_fhir_ids"], kept.resources)
        assert (figures.precision, figures.recall) == (case["precision"], case["recall"]), case
        assert figures.precision_all_types == case["precision_paper"], case
        assert figures.recall_fraction == case["recall_paper"], case


@needs_shared
def test_a_record_is_a_problem_exactly_where_it_stops_the_official_functions():
    every = rows(cases())
    result = read(array(*every), ids=tuple(row["question_id"] for row in every))
    stopped = [n for n, case in enumerate(cases()) if "official_error" in case]
    assert {problem.code for problem in result.problems} == {"resources.nested-ids"}
    assert [int(problem.pointer.split("/")[1]) for problem in result.problems] == stopped
