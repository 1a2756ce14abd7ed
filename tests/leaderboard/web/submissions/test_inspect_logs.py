"""A log of inspect_ai takes every way that a result file takes, and earns the same score."""

import json

import pytest

from leaderboard.services.accounts import create_token
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import Api, assert_problem
from tests.support.cli import wardboard
from tests.support.factories import make_facts
from tests.support.scoring.inspect_logs import assistant, eval_log, json_log, sample, user
from wardboard.scoring.medagentbench.demo import TASKS


@pytest.fixture
def samples(good_file):
    """Return the answers of a result file as samples of a log."""
    roles = {"agent": assistant, "user": user}
    return [
        sample(
            result["task_id"],
            "" if result["answer"] is None else f"FINISH({result['answer']})",
            [roles[item["role"]](item["content"]) for item in result["post_history"]],
        )
        for result in json.loads(good_file)["results"]
    ]


@pytest.fixture
def api(user):
    return Api(create_token(user=user, name="tests", days=1)[1])


@pytest.mark.parametrize("write", [eval_log, json_log])
def test_the_api_checks_and_scores_a_log_as_it_does_the_result_file(api, demo, samples, write):
    checked = api.send(write(*samples), {}, path="/api/v1/validations/")
    assert (checked.status_code, checked.json()["format"]) == (200, "inspect-log")
    submission = api.send(write(*samples), make_facts()).json()
    assert (submission["result"]["right"], submission["result"]["total"]) == (47, 50)


def test_runs_of_a_submission_can_be_logs(api, demo, samples, upload):
    again = [*samples[:-1], sample(samples[-1]["id"], "FINISH([])", [])]
    files = [upload(eval_log(*each), f"run-{n}.eval") for n, each in enumerate((samples, again), 1)]
    submission = api.post(SUBMISSIONS, {"benchmark": demo.slug, "file": files, **make_facts()}).json()
    assert [file["name"] for file in submission["run_files"]] == ["run-1.eval", "run-2.eval"]


def test_the_form_names_the_leaderboard_of_a_log(visitor, demo, fhir_demo, samples, upload):
    file = upload(eval_log(*samples), "run.eval")
    content = " ".join(visitor.post("/submit/", {"file": file}, follow=True).content.decode().split())
    assert "run.eval can be scored" in content
    assert "<strong>MedAgentBench demo</strong>" in content
    assert "50 results for 50 tasks · read as a log of inspect_ai" in content


def test_the_command_checks_a_log(samples, tmp_path):
    path = tmp_path / "run.eval"
    path.write_bytes(eval_log(*samples))
    code, out, _ = wardboard("validate", path, "--tasks", TASKS)
    assert (code, "50 results" in out) == (0, True), out
    path.write_bytes(eval_log(*samples[:3], status="cancelled"))
    code, out, _ = wardboard("validate", path, "--tasks", TASKS)
    assert code == 0
    assert "inspect.not-finished" in out


def test_a_result_with_an_invalidated_sample_is_published_once_its_sender_confirms_it(
    api, visitor, user, demo, samples
):
    samples[0]["invalidation"] = {"author": "a", "reason": "leak", "timestamp": "2026-11-26T11:08:57+00:00"}
    sent = api.send(eval_log(*samples), {**make_facts(), "publish": "true"}).json()
    assert (sent["status"], sent["published"]) == ("scored", False)
    assert "log.invalidated" in {warning["code"] for warning in sent["warnings"]}
    visitor.force_login(user)
    page = visitor.get(f"/submissions/{sent['id']}/").content.decode()
    assert 'name="confirm_log"' in page
    visitor.post(f"/submissions/{sent['id']}/publish/")
    assert_problem(api.post(f"{sent['url']}publish/"), 409, "confirmation-needed")
    published = api.post(f"{sent['url']}publish/", {"confirm_log": "true"}).json()
    assert published["published"] is True


def test_the_epochs_of_a_log_are_the_runs_of_a_submission(api, demo, samples):
    again = [{**each, "epoch": 2} for each in samples[:-1]]
    submission = api.send(eval_log(*samples, *again), make_facts()).json()
    assert [file["name"] for file in submission["run_files"]] == [
        "results.json, attempt 1",
        "results.json, attempt 2",
    ]
    assert submission["result"]["total"] == 100
