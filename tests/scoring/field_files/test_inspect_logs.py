"""Logs of inspect_ai that its own releases wrote give what their specification says, in each format."""

import gzip
import io
import json
import zipfile
from dataclasses import asdict
from functools import partial

import pytest

from tests.support.factories import demo_references
from tests.support.scoring.inspect_logs import (
    assistant,
    call,
    eval_log,
    header,
    json_log,
    reply,
    sample,
    user,
)
from tests.support.shared_data import FIELD_FILES, needs_shared
from wardboard.scoring import registry
from wardboard.scoring.medagentbench import grade
from wardboard.scoring.medagentbench.grading.posts import accepted_posts
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, attempts_of_lines
from wardboard.scoring.reading.formats.split import split_log
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

FOLDER = FIELD_FILES / "formats" / "inspect-log"
FILES = ("zstandard.eval", "deflate.eval", "log.json", "invalidated.eval")
TASKS = ["task1_1", "task2_1", "task3_1"]


def split(raw: bytes) -> list[bytes] | None:
    """Return the files of the runs of a log; None if it is read as it is."""
    runs = split_log(io.BytesIO(raw), Limits(), io.BytesIO, most_runs=10)
    return None if runs is None else [file.getvalue() for file in runs.values()]


def attempts(run: bytes) -> dict[str, Attempt]:
    found = attempts_of_lines(io.BytesIO(run), Findings.under(Limits()))
    return {attempt.task_id: attempt for attempt in found}


def read(raw: bytes, task_ids=TASKS):
    return read_submission(raw, task_ids=task_ids, version="v1")


def warnings(raw: bytes) -> dict[str, str]:
    return {warning.code: warning.message for warning in read(raw).warnings.listed}


def zip_of(**logs: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, log in logs.items():
            archive.writestr(f"logs/{name}.eval", log)
    return file.getvalue()


@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_a_log_of_two_epochs_gives_two_runs_as_its_specification_says(name):
    expected = json.loads((FOLDER / "expected.json").read_bytes())["files"][name]["runs"]
    runs = split((FOLDER / name).read_bytes())
    assert len(runs) == len(expected)
    for raw, right in zip(runs, expected, strict=True):
        reading = read(raw, [*demo_references()])
        records = {record.task_id: record for record in reading.records}
        found = attempts(raw)
        assert set(records) == set(right["tasks"])
        for task, result in right["tasks"].items():
            record, attempt = records[task], found[task]
            assert record.answer == result["answer"]
            sent = [{"url": post["url"], "payload": post["payload"]} for post in result["posts"]]
            assert [asdict(post) for post in accepted_posts(record.post_history)] == sent
            verdict = grade(demo_references()[task], answer=record.answer, post_history=record.post_history)
            assert verdict.correct == result["verdict"]["right"]
            assert attempt.error == (result["error"] or "")
            facts, tokens = (
                attempt.facts,
                result["tokens"] or dict.fromkeys(("input", "output", "cache_read")),
            )
            assert (facts.input_tokens, facts.output_tokens) == (tokens["input"], tokens["output"])
            assert facts.cached_tokens == tokens["cache_read"]
            assert facts.seconds == pytest.approx(result["seconds"])
            assert (facts.rounds, facts.cost_usd) == (result["rounds"], result["cost_usd"])
            assert ("log.invalidated" in attempt.notes) == result["invalidated"]
        stated = {warning.code: warning.message for warning in reading.warnings.listed}
        assert ("log.cached-tokens" in stated) == (name == "deflate.eval")
        if any(result["invalidated"] for result in right["tasks"].values()):
            assert stated["log.invalidated"].endswith(" 1 attempt: task1_2")


@pytest.mark.parametrize("write", [eval_log, partial(eval_log, method=zipfile.ZIP_DEFLATED), json_log])
def test_a_log_of_one_epoch_is_kept_and_one_of_several_is_split(write):
    again = sample("task2_1", "[61]", epoch=2)
    raw = write(sample(), sample("task2_1", "[60]"), again)
    assert split(write(sample(), sample("task2_1", "[60]"))) is None
    first, second = split(raw)
    assert [record.answer for record in read(first).records] == ['["S1234567"]', "[60]"]
    assert [record.answer for record in read(second).records] == ["[61]"]
    assert warnings(second)["tasks.missing"] == "2 of the 3 tasks have no result: task1_1, task3_1"


def test_the_members_of_a_json_log_may_stand_in_any_order_and_be_packed():
    document = json.loads(json_log(sample()))
    raw = json.dumps(dict(sorted(document.items()))).encode()
    for each in (raw, gzip.compress(raw)):
        reading = read(each)
        assert (reading.format, reading.count) == ("inspect-log", 1)
        assert [warning.code for warning in reading.warnings.listed] == ["tasks.missing"]
    document["version"] = 3
    with pytest.raises(SubmissionInvalid) as caught:
        read(json.dumps(dict(sorted(document.items()))).encode())
    assert [problem.code for problem in caught.value.problems.listed] == ["log.version-unknown"]


def test_a_json_log_that_ends_early_is_one_problem():
    raw = json_log(sample(), sample("task2_1", "[60]"))
    with pytest.raises(SubmissionInvalid) as caught:
        read(raw[: raw.index(b"task2_1", raw.index(b'"events"')) + 20])
    assert [problem.code for problem in caught.value.problems.listed] == ["json.truncated"]


def test_a_sample_that_a_later_release_left_out_is_read_and_named():
    edited = sample("task2_1", "[60]", excluded={"author": "a", "reason": "r", "timestamp": "2026-11-01"})
    raw = eval_log(sample(), edited)
    assert [record.answer for record in read(raw).records] == ['["S1234567"]', "[60]"]
    assert warnings(raw)["log.edited"].endswith(" 1 attempt: task2_1")
    tags, zero = {"type": "tags", "tags_add": ["a"]}, {"type": "zero", "samples": ["task1_1"]}
    assert "log.edited" not in warnings(eval_log(sample(), log_updates=[{"edits": [tags]}]))
    assert "log.edited" in warnings(eval_log(sample(), log_updates=[{"edits": [tags, zero]}]))


@pytest.mark.parametrize("output", [{"choices": []}, {"completion": "I am done.\n\nFINISH([60])"}])
def test_the_answer_that_an_agent_submitted_by_a_tool_counts_without_the_text_before_it(output):
    messages = [user("Age?"), assistant("I am done.", call("submit", answer="FINISH([60])")), reply("ok")]
    raw = eval_log(sample("task2_1", "", messages, output=output))
    assert read(raw).records[0].answer == "[60]"


def test_a_limit_is_why_there_is_no_answer_and_no_reason_beside_one():
    limit = {"type": "message", "limit": 5}
    stopped = sample("task2_1", "", [], limit=limit)
    run, _ = split(eval_log(sample(limit=limit), stopped, sample(epoch=2)))
    assert {task: attempt.error for task, attempt in attempts(run).items()} == {
        "task1_1": "",
        "task2_1": "message",
    }


def test_arguments_of_a_call_may_be_in_an_attachment():
    arguments = {"url": "http://localhost:8080/fhir/Observation", "payload": "attachment://ab"}
    messages = [user("Do it."), assistant("", call("fhir_post", **arguments)), reply("status 201")]
    log = eval_log(sample("task3_1", "FINISH([])", messages, attachments={"ab": '{"a": 1}'}))
    assert read(log).records[0].post_history[0]["content"].endswith('\n{"a": 1}')


def test_tokens_of_a_model_that_grades_are_left_out():
    usage = {
        "heron-2": {"input_tokens": 7, "input_tokens_cache_read": 100, "output_tokens": 5, "total_cost": 0.5},
        "grader": {"input_tokens": 1000, "output_tokens": 1000},
    }
    stated = {**header()["eval"], "model": "heron-2", "packages": {"inspect_ai": "0.3.285"}}
    raw = json_log(sample(model_usage=usage), sample(epoch=2), eval=stated)
    facts = attempts(split(raw)[0])["task1_1"].facts
    assert (facts.input_tokens, facts.cached_tokens, facts.output_tokens) == (107, 100, 5)
    assert (facts.cost_usd, facts.model, facts.harness_version) == (0.5, "heron-2", "0.3.285")


def log_of(task: str, *samples, status="success", completed="2026-11-01T00:00:00+00:00") -> bytes:
    stated = {**header()["eval"], "task_id": task}
    return eval_log(*samples, eval=stated, status=status, stats={"completed_at": completed})


def test_logs_in_an_archive_are_parts_of_a_run_or_runs_by_themselves():
    parts = zip_of(a=log_of("a", sample()), b=log_of("b", sample("task2_1", "[60]")))
    (run,) = split(parts)
    assert [record.task_id for record in read(run).records] == ["task1_1", "task2_1"]
    runs = split(zip_of(a=log_of("a", sample()), b=log_of("b", sample(completion="[61]"))))
    assert [read(run).records[0].answer for run in runs] == ['["S1234567"]', "[61]"]


def test_a_log_that_ended_with_an_error_gives_way_to_its_retry_and_to_no_other():
    later = log_of("a", sample(), sample("task2_1", "[60]"), completed="2026-11-02T00:00:00+00:00")
    (run,) = split(zip_of(z=log_of("a", sample(completion="[1]"), status="error"), a=later))
    assert [record.answer for record in read(run).records] == ['["S1234567"]', "[60]"]
    with pytest.raises(SubmissionInvalid) as caught:
        split(zip_of(z=log_of("a", sample(completion="[1]")), a=later))
    [problem] = caught.value.problems.listed
    assert problem.code == "log.several-runs"
    assert "“logs/z.eval”, “logs/a.eval”" in problem.message


def test_logs_that_share_some_samples_are_refused_by_name():
    with pytest.raises(SubmissionInvalid) as caught:
        split(zip_of(a=log_of("a", sample()), b=log_of("b", sample(), sample("task2_1", "[60]"))))
    assert [problem.code for problem in caught.value.problems.listed] == ["log.several-runs"]


def test_an_epoch_of_fhir_agentbench_keeps_the_ids_and_the_error_of_each_sample():
    question, benchmark = "a" * 24, registry.get("fhir-agentbench")
    store = {"retrieved_fhir_ids": {"Patient": ["p1"]}}
    metadata = {"true_answer": "[[1]]"}
    samples = [sample(question, "Yes.", store=store, metadata=metadata, epoch=epoch) for epoch in (1, 2)]
    runs = split(eval_log(*samples))
    assert len(runs) == 2
    assert b"true_answer" not in runs[0]
    kept = io.BytesIO()
    benchmark.read(io.BytesIO(runs[0]), task_ids=(), version="", limits=benchmark.limits, keep=kept)
    kept.seek(0)
    [record] = benchmark.records(kept)
    assert (record.answer, record.resources, record.failed) == ("Yes.", {"Patient": ["p1"]}, False)
    assert (record.usage.prompt_tokens, record.usage.llm_calls) == (7, 1)


@needs_shared
def test_a_log_with_samples_in_pieces_is_named_with_the_command_that_joins_them():
    with pytest.raises(SubmissionInvalid) as caught:
        read((FIELD_FILES / "cases" / "47-inspect-chunked.eval").read_bytes())
    [problem] = caught.value.problems.listed
    assert problem.code == "log.version-unknown"
    assert "inspect log convert" in problem.hint
