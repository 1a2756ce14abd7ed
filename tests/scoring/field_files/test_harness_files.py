"""Files in the formats that others write are read as their specification says, or named for what they are."""

import json
import zipfile
from dataclasses import asdict
from io import BytesIO

import pytest

from tests.support.factories import demo_references
from tests.support.shared_data import FIELD_FILES, needs_shared
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Reading
from wardboard.scoring.medagentbench import grade
from wardboard.scoring.medagentbench.grading.posts import accepted_posts, any_post
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.medagentbench.reading.tool_calls.calls import decide
from wardboard.scoring.reading.archives import ArchiveKind, ArchiveReader
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

pytestmark = needs_shared

READ = [
    ("official-harness", "runs.jsonl"),
    ("official-harness", "index-is-task-id.jsonl"),
    ("official-harness", "whole-folder.zip"),
    ("ehr-llm-replicates", "heron-2.zip"),
    ("flat-jsonl", "runs.jsonl"),
    ("agentbeats-medagentbench", "by-task.json"),
    ("mcp-history", "runs.jsonl"),
]
CASES = {
    "01-task-error.jsonl": (4, "answer.task-error"),
    "02-runs-and-error.zip": (3, "tasks.missing"),
    "05-index-is-task-id.jsonl": (2, "index.task-id"),
    "06-flat-lines.jsonl": (3, "history.missing"),
    "09a-agentbeats-by-task.json": (2, "history.missing"),
    "09b-agentbeats-by-task-no-id.json": (2, "history.missing"),
    "12-zip-with-readme.zip": (3, "tasks.missing"),
    "14-zip-backslash.zip": (3, "tasks.missing"),
    "16-tool-roles.jsonl": (1, "tasks.missing"),
    "22-cr-only.jsonl": (3, "tasks.missing"),
}
REFUSED = {
    "cases/07-task-file.json": "task file",
    "cases/26-evalset-index.json": "index of a set of logs",
    "formats/agentbeats-medagentbench/records.json": "no answers by task",
    "formats/agentbeats-medagentbench/verdicts-only.json": "no answers by task",
}


def read(raw: bytes) -> list[Reading]:
    """Return the reading of a file, or of each in an archive, for the demonstration."""
    contents = [raw]
    if zipfile.is_zipfile(BytesIO(raw)):
        files = ArchiveReader(Limits()).files(BytesIO(raw), ArchiveKind.ZIP)
        contents = [b"".join(file.chunks()) for file in files]
    return [read_submission(content, task_ids=[*demo_references()], version="v1") for content in contents]


@pytest.mark.parametrize(("folder", "name"), READ)
def test_a_file_gives_the_answers_and_verdicts_of_its_specification(folder, name):
    place = FIELD_FILES / "formats" / folder
    expected = json.loads((place / "expected.json").read_bytes())["files"][name]["runs"]
    readings = read((place / name).read_bytes())
    assert len(readings) == len(expected)
    for reading, run in zip(readings, expected, strict=True):
        records = {record.task_id: record for record in reading.records}
        assert {task: record.answer for task, record in records.items()} == {
            task: result["answer"] for task, result in run["tasks"].items()
        }
        for task, result in run["tasks"].items():
            record = records[task]
            if result.get("posts") is not None:
                sent = [post for post in result["posts"] if post["accepted"]]
                assert [asdict(post) for post in accepted_posts(record.post_history)] == [
                    {"url": post["url"], "payload": post["payload"]} for post in sent
                ]
                assert any_post(record.post_history) == bool(result["posts"])
            verdict = grade(demo_references()[task], answer=record.answer, post_history=record.post_history)
            assert verdict.correct == result["verdict"]["right"], task


def test_every_call_of_a_tool_means_what_its_specification_says():
    folder = FIELD_FILES / "formats" / "post-conversion"
    cases = json.loads((folder / "cases.json").read_bytes())
    expected = json.loads((folder / "expected.json").read_bytes())["cases"]
    assert {case["id"] for case in cases["cases"]} == set(expected)
    for case in cases["cases"]:
        name, right = case["id"], expected[case["id"]]
        call = case["call"] or {"name": None, "arguments": None}
        decision = decide(call["name"], call["arguments"], case["result"], cases["base"])
        assert (decision.kind, decision.url) == (right["kind"], right["url"]), name
        assert (decision.payload, decision.accepted) == (right["payload"], right["accepted"]), name
        assert list(decision.history) == right["post_history"], name
        # A text of the agent is no call: the reader of its history reports it.
        assert set(decision.signs) == {right["remark"]} - {None, "text.names-post"}, name


@pytest.mark.parametrize("name", CASES)
def test_a_file_that_was_refused_or_misread_is_read(name):
    count, warning = CASES[name]
    [reading] = read((FIELD_FILES / "cases" / name).read_bytes())
    assert reading.count == count
    assert warning in {remark.code for remark in reading.warnings.listed}


@pytest.mark.parametrize("name", ["output.json", "renamed-list.json"])
def test_records_of_other_writers_of_fhir_agentbench_are_read(name):
    place = FIELD_FILES / "formats" / "fhir-agentbench-variants"
    expected = json.loads((place / "expected.json").read_bytes())["files"][name]["runs"][0]["tasks"]
    benchmark, kept = registry.get("fhir-agentbench"), BytesIO()
    with open(place / name, "rb") as file:
        benchmark.read(file, task_ids=[], version=None, limits=benchmark.limits, keep=kept)
    kept.seek(0)
    records = {record.task_id: record for record in benchmark.records(kept)}
    assert {task: record.answer for task, record in records.items()} == {
        task: result["answer"] for task, result in expected.items()
    }


@pytest.mark.parametrize("path", REFUSED)
def test_a_file_without_answers_is_named_by_one_problem(path):
    with pytest.raises(SubmissionInvalid) as caught:
        read((FIELD_FILES / path).read_bytes())
    [problem] = caught.value.problems.listed
    assert REFUSED[path] in problem.message
