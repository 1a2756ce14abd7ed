"""The attempts of a job of Harbor become the runs of one submission, whichever way the job is sent."""

import json

import pytest

from leaderboard.services.accounts import create_token
from tests.support.api_client import Api
from tests.support.cli import wardboard
from tests.support.factories import make_facts
from tests.support.scoring.harbor import result, trial, zipped
from wardboard.scoring.medagentbench.demo import TASKS


@pytest.fixture
def job(good_file):
    """Return a zip of a job with two attempts at each task; the second of the first task has no answer."""
    files = {}
    for place, graded in enumerate(json.loads(good_file)["results"]):
        task = graded["task_id"]
        answer = {"result": json.loads(graded["answer"] or "null"), "history": graded["post_history"]}
        for attempt in (1, 2):
            rewarded = result(task, minute=attempt, verifier_result={"rewards": {"reward": 0.0}})
            sent = {"result": None, "history": []} if (place, attempt) == (0, 2) else answer
            files |= trial(f"job/{task}__{attempt}", result=rewarded, trajectory=None, answer=sent)
    stopped = trial("job/task1_1__stopped", result=None)
    return zipped({**files, **stopped, "job/config.json": {"n_attempts": 2}})


def test_the_api_scores_a_job_as_two_runs_whatever_its_rewards(user, demo, job, upload):
    api = Api(create_token(user=user, name="tests", days=1)[1])
    submission = api.send(job, make_facts(), file=upload(job, "job.zip")).json()
    assert (submission["runs"], submission["file"]["format"]) == (2, "harbor-job")
    assert [run["right"] for run in submission["result"]["per_run"]] == [47, 46]
    assert [file["name"] for file in submission["run_files"]] == ["job.zip, attempt 1", "job.zip, attempt 2"]
    assert {warning["code"] for warning in submission["warnings"]} >= {
        "log.verdict-unused",
        "archive.left-out",
    }


def test_the_form_says_what_a_job_is_and_names_its_attempts(visitor, demo, fhir_demo, job, upload):
    page = visitor.post("/submit/", {"file": upload(job, "job.zip")}, follow=True).content.decode()
    content = " ".join(page.split())
    assert "job.zip can be scored" in content
    assert "read as a job of Harbor · 2 runs" in content
    assert "job.zip, attempt 2" in content
    assert "1 file of the archive is left out: “task1_1__stopped”" in content


def test_the_command_checks_a_job(job, tmp_path):
    path = tmp_path / "job.zip"
    path.write_bytes(job)
    code, out, _ = wardboard("validate", path, "--tasks", TASKS)
    assert code == 0
    assert "2 runs: no error" in out
    assert "(harbor-job, 100 results)" in out
