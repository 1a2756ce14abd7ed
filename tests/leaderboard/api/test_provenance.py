"""What a CI job submits carries what its issuer signed, and what contradicts it is refused."""

import hashlib

import pytest

from leaderboard.models import ApiToken, Submission, TrustedPublisher
from leaderboard.services.trusted_publishing.publishers import remove_publisher
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import Api, assert_problem
from tests.support.ci_issuer import COMMIT, make_ci_job
from tests.support.factories import make_demo, make_facts

pytestmark = pytest.mark.usefixtures("demo")
RUN = "https://github.com/example-lab/agent/actions/runs/9876543210"


@pytest.fixture
def of_job(user, demo):
    """Return a function that makes a client with the token of a job. artifact: whose digest is signed."""

    def make(artifact: bytes = b"", **fields) -> Api:
        digest = hashlib.sha256(artifact).hexdigest() if artifact else ""
        return Api(make_ci_job(user, artifact_sha256=digest, **fields))

    return make


def test_a_submission_of_an_account_says_so_and_does_not_become_the_file_of_a_job(api, of_job, good_file):
    before = api.send(good_file, make_facts(), commit=COMMIT).json()
    assert (before["provenance"], before["ci_job"], before["commit"]) == ("account", None, COMMIT)
    again = of_job(good_file).send(good_file, make_facts(), strict="true")
    assert again.status_code == 200
    assert (again.json()["id"], again.json()["provenance"]) == (before["id"], "account")
    assert "provenance." in again.json()["notice"]


def test_the_signed_digest_of_the_file_is_a_level_of_its_own_also_of_a_second_run(of_job, good_file):
    body = of_job(good_file).send(good_file, make_facts()).json()
    digest = hashlib.sha256(good_file).hexdigest()
    assert (body["provenance"], body["ci_job"]["artifact_sha256"]) == ("ci-attested", digest)
    assert body["file"]["sha256"] == digest
    again = of_job(good_file).send(good_file, make_facts()).json()
    assert (again["id"], "notice" in again) == (body["id"], False)


def test_another_file_than_the_signed_one_is_refused_with_both_digests(of_job, good_file):
    document = assert_problem(of_job(b"another file").send(good_file, make_facts()), 422, "request-invalid")
    (problem,) = document["problems"]
    assert (problem["code"], problem["pointer"]) == ("facts.not-attested", "/file")
    for raw in (good_file, b"another file"):
        assert hashlib.sha256(raw).hexdigest() in problem["message"]
    assert not Submission.objects.exists()


def test_a_stated_commit_and_run_that_contradict_the_verified_ones_are_refused_at_once(of_job, good_file):
    stated = {"commit": "deadbeef", "run_url": "https://github.com/example-lab/agent/actions/runs/1"}
    document = assert_problem(of_job().send(good_file, make_facts(), **stated), 422, "request-invalid")
    by_pointer = {problem["pointer"]: problem for problem in document["problems"]}
    assert {problem["code"] for problem in document["problems"]} == {"facts.contradict-ci"}
    for name, verified in (("commit", COMMIT), ("run_url", RUN)):
        assert stated[name] in by_pointer[f"/{name}"]["message"]
        assert verified in by_pointer[f"/{name}"]["message"]


def test_a_publisher_of_one_leaderboard_gives_tokens_for_that_one_alone(of_job, good_file):
    job = of_job(board=make_demo("another-demo"))
    assert_problem(job.send(good_file, make_facts()), 403, "scope-missing")


def test_removing_a_publisher_revokes_its_tokens_and_keeps_what_was_verified(of_job, user, good_file):
    job = of_job()
    body = job.send(good_file, make_facts(), publish="true").json()
    (publisher,) = TrustedPublisher.objects.all()
    remove_publisher(by=user, publisher_id=publisher.pk)
    assert_problem(job.get(SUBMISSIONS), 401, "authentication-failed")
    assert Api().get(body["url"]).json()["ci_job"] == body["ci_job"]
    assert not ApiToken.objects.exists()
