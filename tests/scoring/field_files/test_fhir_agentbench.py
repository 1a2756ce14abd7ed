"""Files of FHIR-AgentBench's own runner and of other writers give what their specification says."""

import csv
import io
import json
from io import BytesIO

import pytest

from tests.support.scoring.files import refused
from tests.support.shared_data import FIELD_FILES, needs_shared
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.demo import QUESTIONS
from wardboard.scoring.fhir_agentbench.grading.questions_file import read_questions
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord

RUNNER = "fhir-agentbench-runner/multi_turn_resource_heron-2_results.json"
FILES = (RUNNER, *(f"fhir-agentbench-variants/{name}.json" for name in ("output", "slim", "renamed-list")))
IDS = ["a" * 24, "b" * 24, "c" * 24]
NOT_RUN = dict.fromkeys(("agent_answer", "agent_fhir_resources", "trace", "error", "usage"))


def read(raw: bytes, task_ids=()) -> tuple[str, dict[str, AnswerRecord], dict[str, str]]:
    """Return the format of a file, its records by id, and its warnings by code."""
    benchmark, kept = registry.get("fhir-agentbench"), BytesIO()
    reading = benchmark.read(BytesIO(raw), task_ids=task_ids, version="", limits=benchmark.limits, keep=kept)
    kept.seek(0)
    records = {record.task_id: record for record in benchmark.records(kept)}
    assert reading.count == len(records)
    return reading.format, records, {warning.code: warning.message for warning in reading.warnings.listed}


def codes(raw: bytes, task_ids=()) -> set[str]:
    return {problem.code for problem in refused(read, raw, task_ids)}


def json_of(*records: dict) -> bytes:
    return json.dumps([*records]).encode()


def agentbeats(*records: dict) -> bytes:
    return json.dumps({"participants": {}, "results": [{"task_results": [*records]}]}).encode()


@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_a_file_gives_the_answers_ids_errors_and_usage_of_its_specification(name):
    path = FIELD_FILES / "formats" / name
    expected = json.loads((path.parent / "expected.json").read_bytes())["files"][path.name]["runs"][0][
        "tasks"
    ]
    _, records, warnings = read(path.read_bytes(), list(read_questions(QUESTIONS)))
    not_run = {task for task, result in expected.items() if "never run" in str(result.get("remarks"))}
    assert set(records) == set(expected) - not_run
    for task, record in records.items():
        result = expected[task]
        ids = result["agent_fhir_resources"]
        assert record.answer == result["answer"]
        assert (record.resources or None) == (None if ids == "unknown" else ids or None)
        assert record.failed == (result["error"] is not None)
        usage, tokens = record.usage, result["tokens"] or {"input": None, "output": None}
        assert (usage and usage.prompt_tokens, usage and usage.completion_tokens) == (
            tokens["input"],
            tokens["output"],
        )
        assert (usage and usage.cost, usage and usage.llm_calls) == (result["cost_usd"], result["rounds"])
    assert ("resources.unknown" in warnings) == (path.name == "slim.json")
    assert "field.unknown" not in warnings
    if name == RUNNER:
        assert warnings["records.not-run"].endswith("not even an error; so in 1 record")
        assert warnings["agent-answer.of-runner"].startswith("“No final answer")


@needs_shared
def test_the_csv_of_the_same_records_reads_like_the_json_of_the_runner():
    raw = (FIELD_FILES / "formats" / RUNNER).read_bytes()
    records = json.loads(raw)
    table = io.StringIO()
    writer = csv.DictWriter(table, [*records[0], "precision", "metric_relevant_resources"])
    writer.writeheader()
    writer.writerows({**record, "precision": 1.0} for record in records)
    _, expected, _ = read(raw)
    found_format, found, warnings = read(table.getvalue().encode())
    assert (found_format, found) == ("csv", expected)
    assert {"records.not-run", "agent-answer.of-runner"} <= set(warnings)
    assert "field.unknown" not in warnings


def test_a_question_that_was_not_run_is_missing_and_a_null_answer_is_one():
    null = {"question_id": IDS[1], "agent_answer": None, "agent_fhir_resources": {}}
    not_run = {"question_id": IDS[0], **NOT_RUN}
    _, records, _ = read(json_of(not_run, null))
    assert list(records) == [IDS[1]]
    assert codes(json_of(not_run)) == {"records.empty"}


def test_records_of_tasks_that_the_leaderboard_lacks_are_left_out_of_a_file_of_agentbeats_alone():
    known = {"question_id": IDS[0], "final_answer": "Yes.", "retrieved_fhir_ids": {}}
    others = [{**known, "question_id": each} for each in (IDS[1], "task3_1")]
    found_format, records, warnings = read(agentbeats(known, *others), IDS[:1])
    assert (found_format, list(records)) == ("agentbeats", IDS[:1])
    assert warnings["records.left-out"].startswith("2 records are for questions")
    assert warnings["records.left-out"].endswith(f"{IDS[1]}, task3_1")
    assert codes(agentbeats(*others), IDS[:1]) == {"records.empty"}
    assert "question-id.unknown" in codes(json_of(known, others[0]), IDS[:1])


def test_no_ids_is_nothing_retrieved_and_null_or_no_field_is_unknown():
    record = {"question_id": IDS[0], "final_answer": "Yes."}
    for ids, is_unknown in (
        ({"retrieved_fhir_ids": {}}, False),
        ({"retrieved_fhir_ids": None}, True),
        ({}, True),
    ):
        _, _, warnings = read(agentbeats({**record, **ids}))
        assert ("resources.unknown" in warnings) == is_unknown, ids
        _, _, warnings = read(agentbeats({**record, **ids, "final_answer": None, "error": "Timeout"}))
        assert "resources.unknown" not in warnings


def test_fields_of_an_unknown_writer_are_refused_with_the_places_of_their_texts_and_ids():
    record = {
        "question_id": IDS[0],
        "answer": {"text": "Yes."},
        "retrieved": {"fhir": {"ids": {"Patient": ["p1"]}}},
        "tags": [],
    }
    assert [(problem.code, problem.hint) for problem in refused(read, json_of(record))] == [
        ("field.missing", "Write `agent_answer`; it may be the value at `/answer/text`."),
        ("field.missing", "Write `agent_fhir_resources`; it may be the value at `/retrieved/fhir/ids`."),
    ]
    assert codes(json_of({**record, "final_answer": "Yes."})) == {"field.missing"}
