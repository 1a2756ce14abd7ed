"""Files in the formats of the field give what their specifications say, and cases what their table says."""

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pytest

from tests.support.factories import demo_references
from tests.support.scoring.files import as_tar, as_zip, opened, refused, runs_of_log
from tests.support.shared_data import FIELD_FILES, needs_shared
from wardboard.scoring.medagentbench import grade
from wardboard.scoring.medagentbench.demo import TASKS
from wardboard.scoring.medagentbench.grading.posts import accepted_posts, any_post
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.submission import ResultReading, read_submission
from wardboard.scoring.medagentbench.reading.tasks import texts_of_tasks
from wardboard.scoring.medagentbench.reading.tool_calls.calls import decide
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt
from wardboard.scoring.reading.formats.table import LOGS, format_of_file, format_of_record
from wardboard.scoring.reading.limits import Limits

pytestmark = needs_shared

FORMATS = FIELD_FILES / "formats"
SAMPLES = "samples_medagentbench_2026-10-05T11-22-33.123456.jsonl"
JOB = FORMATS / "harbor-job" / "job-folder"
# Folder and name of a file -> where it is, if it has another name than in its specification.
LOG_FILES = {
    ("harbor-job", "job-folder"): "job.zip",
    **{("atif", f"trajectory.v1.{minor}.json"): "" for minor in (4, 6, 8)},
    ("atif", "task5_3__k3vQ2aa.trajectory.v1.0.json"): "",
    **{("inspect-log", name): "" for name in ("zstandard.eval", "deflate.eval", "log.json")},
    ("inspect-log", "invalidated.eval"): "",
    ("verifiers", "medagentbench--heron-2"): "medagentbench--heron-2/1a2b3c4d/results.jsonl",
    ("verifiers", "eval-run"): "eval-run/traces.jsonl",
    **{("openai-transcripts", f"{name}.jsonl"): "" for name in ("chats", "responses", "batch_output")},
    ("lm-eval-samples", SAMPLES): "",
}
OTHER_FILES = {
    ("harbor-meta-task", "trial.zip"): "",
    **{("official-harness", name): "" for name in ("runs.jsonl", "index-is-task-id.jsonl")},
    ("official-harness", "whole-folder.zip"): "",
    ("ehr-llm-replicates", "heron-2.zip"): "",
    ("flat-jsonl", "runs.jsonl"): "",
    ("agentbeats-medagentbench", "by-task.json"): "",
    ("mcp-history", "runs.jsonl"): "",
}
FILES = LOG_FILES | OTHER_FILES
# The specification counts neither the copied step nor the one without a call of the model, and takes the
# time from the first to the last step; the expected figures of this file are others.
CONTRADICTED = {("trajectory.v1.8.json", "rounds"), ("trajectory.v1.8.json", "seconds")}
# Case -> the number of its records, and a code that warns of it.
READ = {
    "01-task-error.jsonl": (4, "answer.task-error"),
    "02-runs-and-error.zip": (3, "tasks.missing"),
    "05-index-is-task-id.jsonl": (2, "tasks.missing"),
    "06-flat-lines.jsonl": (3, "history.missing"),
    "09a-agentbeats-by-task.json": (2, "history.missing"),
    "09b-agentbeats-by-task-no-id.json": (2, "history.missing"),
    "12-zip-with-readme.zip": (3, "tasks.missing"),
    "14-zip-backslash.zip": (3, "tasks.missing"),
    "16-tool-roles.jsonl": (1, "tasks.missing"),
    "22-cr-only.jsonl": (3, "tasks.missing"),
    "30-runs-and-summary.zip": (3, "history.missing"),
    "51-error-line-after-answer.jsonl": (3, "attempts.failed"),
}
REFUSED = {
    "cases/28-several-models.zip": "3 systems: heron-2, plover-7b, teal-mini",
    "cases/31-two-arms-with-truth.json": "2 systems: no_code, with_code",
    "cases/47-inspect-chunked.eval": "samples in pieces",
    "formats/agentbeats-medagentbench/records.json": "no answers by task",
    "formats/agentbeats-medagentbench/verdicts-only.json": "no answers by task",
}


def runs_of(raw: bytes) -> list[bytes]:
    """Return the runs of a log or an archive, or the file as it is."""
    # A log of one run is read as it is, but one in a folder is not.
    return runs_of_log(raw) or [*(opened(raw) or {"": raw}).values()]


def attempts_of(raw: bytes) -> dict[str, Attempt]:
    """Return task -> attempt of a log of one run."""
    findings = Findings.under(Limits())
    if own := format_of_file(BytesIO(raw)):
        return {attempt.task_id: attempt for attempt in own.attempts(BytesIO(raw), findings)}
    try:
        rows = [(findings, json.loads(raw))]
    except ValueError:
        rows = [(findings.on_line(n), json.loads(line)) for n, line in enumerate(raw.splitlines(), 1)]
    return {attempt.task_id: attempt for attempt in format_of_record(rows[0][1]).attempts(rows)}


def read(raw: bytes) -> ResultReading:
    texts = texts_of_tasks(json.loads(TASKS.read_bytes()))
    return read_submission(raw, task_ids=[*demo_references()], version="v1", texts=texts)


def packed(files: Mapping[str, bytes], mode: str = "zip") -> bytes:
    return as_zip(files) if mode == "zip" else as_tar(files, mode)


def specified(folder: str, name: str) -> Any:
    return json.loads((FORMATS / folder / "expected.json").read_bytes())["files"][name]


def check_records(records: Mapping[str, TaskResult], tasks: Mapping[str, Any]) -> None:
    assert {task: record.answer for task, record in records.items()} == {
        task: right["answer"] for task, right in tasks.items()
    }
    for task, right in tasks.items():
        history, posts = records[task].post_history, right.get("posts")
        if posts is not None:
            accepted = [(post["url"], post["payload"]) for post in posts if post["accepted"]]
            assert [(post.url, post.payload) for post in accepted_posts(history)] == accepted, task
            assert any_post(history) == bool(posts), task
        verdict = grade(demo_references()[task], answer=records[task].answer, post_history=history)
        is_right = right["verdict"]["right"]
        assert verdict.correct == is_right or (records[task].answer is None and not is_right), task


def check_facts(attempt: Attempt, right: Mapping[str, Any], name: str) -> None:
    facts, tokens = attempt.facts, right.get("tokens") or {}
    stated = {
        "input": (tokens.get("input"), facts.input_tokens),
        "output": (tokens.get("output"), facts.output_tokens),
        "cached": (tokens.get("cache_read", facts.cached_tokens), facts.cached_tokens),
        "cost": (right.get("cost_usd"), facts.cost_usd),
        "seconds": (right.get("seconds"), facts.seconds),
        "rounds": (right["rounds"], facts.rounds),
        "error": (right["error"] or "", attempt.error),
        "invalid": (right.get("invalidated", False), "log.invalidated" in attempt.notes),
    }
    for what, (want, got) in stated.items():
        if (name, what) not in CONTRADICTED:
            assert got == (pytest.approx(want, abs=1e-9) if isinstance(want, float) else want), what


@pytest.mark.parametrize(("folder", "name"), FILES)
def test_a_file_gives_the_answers_posts_verdicts_and_facts_of_its_specification(folder, name):
    right = specified(folder, name)
    raw = (FORMATS / folder / (FILES[folder, name] or name)).read_bytes()
    runs = runs_of(raw)
    for run, expected in zip(runs, right["runs"], strict=True):
        reading, tasks = read(run), expected["tasks"]
        if (folder, name) in LOG_FILES:
            assert reading.format == right["recognised_as"]
            found = attempts_of(run)
            for task, result in tasks.items():
                # A run without ids is named by the texts of its tasks.
                check_facts(found.get(task) or found[""], result, name)
        check_records({record.task_id: record for record in reading.records}, tasks)


@pytest.mark.parametrize("mode", ["zip", "w", "w:gz"])
def test_a_job_is_read_however_it_is_packed_and_without_its_answer_files_by_its_trajectories(mode):
    files = {str(p.relative_to(JOB)): p.read_bytes() for p in sorted(JOB.rglob("*")) if p.is_file()}
    whole = runs_of((FORMATS / "harbor-job" / "job.zip").read_bytes())
    assert runs_of(packed(files, mode)) == whole
    bare = {name.partition("/")[2]: content for name, content in files.items()}
    deep = {f"a/b/{name}": content for name, content in files.items()}
    for changed in (bare, deep):
        assert list(map(read_answers, runs_of(packed(changed, mode)))) == list(map(read_answers, whole))
    traced = {name: content for name, content in files.items() if "/artifacts/" not in name}
    for raw, expected in zip(
        runs_of(packed(traced, mode)), specified("harbor-job", "job-folder")["runs"], strict=True
    ):
        records = {record.task_id: record for record in read(raw).records}
        tasks = [task for task, attempt in attempts_of(raw).items() if attempt.messages]
        assert len(tasks) >= 5
        check_records(
            {task: records[task] for task in tasks}, {task: expected["tasks"][task] for task in tasks}
        )


def read_answers(raw: bytes) -> dict[str, str | None]:
    return {record.task_id: record.answer for record in read(raw).records}


def test_what_a_run_of_verifiers_states_is_derived():
    place = FORMATS / "verifiers" / "medagentbench--heron-2" / "1a2b3c4d"
    files = {f"x/1a2b3c4d/{name}": (place / name).read_bytes() for name in ("results.jsonl", "metadata.json")}
    runs = runs_of(packed(files))
    for attempt in attempts_of(runs[1]).values():
        assert attempt.place == ("x/1a2b3c4d/results.jsonl",)
        facts = attempt.facts
        assert (facts.model, facts.temperature) == ("example-lab/heron-2", 0.0)
        assert (facts.harness, facts.harness_version) == ("verifiers", "0.1.14")
    assert b"127.0.0.1" not in b"".join(runs)


def test_every_call_of_a_tool_means_what_its_specification_says():
    folder = FORMATS / "post-conversion"
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


def test_a_case_that_was_refused_or_misread_is_read_and_one_without_answers_is_named():
    for name, (count, warning) in READ.items():
        [raw] = runs_of((FIELD_FILES / "cases" / name).read_bytes())
        reading = read(raw)
        assert reading.count == count, name
        assert warning in {remark.code for remark in reading.warnings.listed}, name
    for name in ("anthropic_batch_results.jsonl", "otel_console_spans.json"):
        assert read((FIELD_FILES / "writers" / name).read_bytes()).count == 50
    for path, text in REFUSED.items():
        [problem] = refused(lambda raw: read(runs_of(raw)[0]), (FIELD_FILES / path).read_bytes())
        assert text in problem.message, path


def test_a_record_is_of_one_format_of_logs_at_most():
    for path in sorted(FORMATS.rglob("*.json*")):
        text = path.read_text()
        try:
            record = json.loads(text)
        except ValueError:
            record = json.loads(text.partition("\n")[0].strip() or "null")
        record = record[0] if isinstance(record, list) and record else record
        matching = [log.name for log in LOGS if log.is_record(record)]
        wanted = [place for (folder, name), place in LOG_FILES.items() if str(path).endswith(place or name)]
        assert len(matching) == (bool(wanted) and path.name != "log.json") or "job-folder" in path.parts, path
