"""Jobs of Harbor, trials with many tasks, and trajectories in ATIF are read as their specifications say."""

import json
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.support.factories import demo_references
from tests.support.shared_data import FIELD_FILES, needs_shared
from wardboard.scoring.medagentbench import grade
from wardboard.scoring.medagentbench.demo import TASKS
from wardboard.scoring.medagentbench.grading.posts import accepted_posts, any_post
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.submission import ResultReading, read_submission
from wardboard.scoring.medagentbench.reading.tasks import texts_of_tasks
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, attempts_of_lines
from wardboard.scoring.reading.formats.split import split_log
from wardboard.scoring.reading.limits import Limits

FORMATS = FIELD_FILES / "formats"
JOB = FORMATS / "harbor-job" / "job-folder"
# The specification counts neither the copied step nor the one without a call of the model, and takes the
# time from the first to the last step; the expected figures of this file are others.
CONTRADICTED = {("trajectory.v1.8.json", "rounds"), ("trajectory.v1.8.json", "seconds")}


def split(raw: bytes) -> dict[int, bytes]:
    runs = split_log(BytesIO(raw), Limits(), BytesIO, most_runs=10)
    assert runs is not None
    return {run: file.getvalue() for run, file in runs.items()}


def read(raw: bytes) -> ResultReading:
    texts = texts_of_tasks(json.loads(TASKS.read_bytes()))
    return read_submission(raw, task_ids=[*demo_references()], version="v1", texts=texts)


def attempts(raw: bytes) -> list[Attempt]:
    findings = Findings.under(Limits())
    found = list(attempts_of_lines(BytesIO(raw), findings))
    assert not findings.problems
    return found


def zipped(files: Mapping[str, bytes]) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def tarred(files: Mapping[str, bytes], mode: str) -> bytes:
    target = BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
    return target.getvalue()


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def expected(folder: str, name: str) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = json.loads((FORMATS / folder / "expected.json").read_bytes())["files"][name][
        "runs"
    ]
    return [run["tasks"] for run in runs]


def check_records(records: Mapping[str, TaskResult], tasks: Mapping[str, Any]) -> None:
    assert {task: record.answer for task, record in records.items()} == {
        task: right["answer"] for task, right in tasks.items()
    }
    for task, right in tasks.items():
        history, posts = records[task].post_history, right["posts"]
        accepted = [{"url": post["url"], "payload": post["payload"]} for post in posts if post["accepted"]]
        assert [asdict(post) for post in accepted_posts(history)] == accepted, task
        assert any_post(history) == bool(posts), task
        sent = [item for item in history if item["role"] == "agent" and "POST" in item["content"]]
        assert len(sent) == len(posts), task
        verdict = grade(demo_references()[task], answer=records[task].answer, post_history=history)
        assert verdict.correct == right["verdict"]["right"], task


def check_facts(found: Attempt, right: Mapping[str, Any], name: str) -> None:
    tokens = right.get("tokens") or {}
    facts = found.facts
    stated = {
        "input": (tokens.get("input"), facts.input_tokens),
        "output": (tokens.get("output"), facts.output_tokens),
        "cost": (right["cost_usd"], facts.cost_usd),
        "seconds": (right["seconds"], facts.seconds),
        "rounds": (right["rounds"], facts.rounds),
        "error": (right["error"] or "", found.error),
    }
    if "cache_read" in tokens:
        stated["cached"] = (tokens["cache_read"], facts.cached_tokens)
    for what, (want, got) in stated.items():
        if (name, what) not in CONTRADICTED:
            assert got == (pytest.approx(want, abs=1e-9) if isinstance(want, float) else want), (name, what)


def without_top(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name.partition("/")[2]: content for name, content in files.items()}


JOBS = {
    "zip": zipped,
    "zip without a top folder": lambda files: zipped(without_top(files)),
    "zip with more top folders": lambda files: zipped({f"a/b/{name}": files[name] for name in files}),
    "tar": lambda files: tarred(files, "w"),
    "tar.gz": lambda files: tarred(files, "w:gz"),
}


@needs_shared
@pytest.mark.parametrize("pack", JOBS)
def test_the_attempts_of_a_job_are_runs_with_answers_posts_and_figures(pack):
    runs = split(JOBS[pack](files_below(JOB)))
    right = expected("harbor-job", "job-folder")
    assert [*runs] == [1, 2]
    for raw, tasks in zip(runs.values(), right, strict=True):
        reading = read(raw)
        assert reading.format == "harbor-job"
        check_records({record.task_id: record for record in reading.records}, tasks)
        for found in attempts(raw):
            check_facts(found, tasks[found.task_id], found.task_id)
            assert found.verdict == tasks[found.task_id]["harness_reward"]


@needs_shared
def test_the_zip_of_a_job_is_read_like_its_folder():
    assert split((FORMATS / "harbor-job" / "job.zip").read_bytes()) == split(zipped(files_below(JOB)))


@needs_shared
@pytest.mark.parametrize(
    "name",
    [
        "task5_3__k3vQ2aa.trajectory.v1.0.json",
        "trajectory.v1.4.json",
        "trajectory.v1.6.json",
        "trajectory.v1.8.json",
    ],
)
def test_a_trajectory_gives_the_answer_posts_and_figures_of_its_version(name):
    [tasks] = expected("atif", name)
    raw = (FORMATS / "atif" / name).read_bytes()
    [of_archive] = split(zipped({name: raw})).values()
    for sent in (raw, of_archive):
        reading = read(sent)
        assert reading.format == "atif"
        check_records({record.task_id: record for record in reading.records}, tasks)
    [found] = attempts(of_archive)
    check_facts(found, *tasks.values(), name)


@needs_shared
def test_rows_of_a_slice_are_read_with_derived_posts_and_wrapped_answers():
    [raw] = split((FORMATS / "harbor-meta-task" / "trial.zip").read_bytes()).values()
    [tasks] = expected("harbor-meta-task", "trial.zip")
    reading = read(raw)
    assert reading.format == "harbor-meta-task"
    check_records({record.task_id: record for record in reading.records}, tasks)
    noted = {remark.code: remark.message for remark in reading.warnings.listed}
    assert "5 attempts: task1_1, task2_1," in noted["answer.converted"]
    assert "post.simulated" in noted


@needs_shared
def test_trajectories_alone_give_what_the_answer_files_of_a_job_give():
    files = {name: content for name, content in files_below(JOB).items() if "/artifacts/" not in name}
    for raw, tasks in zip(split(zipped(files)).values(), expected("harbor-job", "job-folder"), strict=True):
        records = {record.task_id: record for record in read(raw).records}
        traced = {attempt.task_id for attempt in attempts(raw) if attempt.messages}
        assert len(traced) >= 5
        check_records({task: records[task] for task in traced}, {task: tasks[task] for task in traced})
