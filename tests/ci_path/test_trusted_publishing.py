"""A release job without a stored secret: it proves who it is by the ID token of its CI system."""

import json
import os

import pytest

import wardboard as library
from leaderboard.models import ApiToken, CiJob, Submission, TrustedPublisher
from leaderboard.services.trusted_publishing import issuer_keys
from tests.support.api_client import Api
from tests.support.ci_issuer import COMMIT, REPOSITORY, REQUEST_TOKEN, CiIssuer, make_publisher
from tests.support.cli import wardboard
from tests.support.factories import make_user
from tests.support.in_process import ORIGIN, InProcess, reach_in_process
from tests.support.loopback import Loopback, ScriptedReply
from wardboard.client.connection import ServiceOptions
from wardboard.client.job_identity import authorized, is_of_fork
from wardboard.client.service import Client
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

RELEASE = ("--wait", "--fail-under", "0.80", "--from-ci", "--publish")


@pytest.fixture
def job(demo, issuer, settings, monkeypatch) -> TrustedPublisher:
    """Put this process into a job of GitHub Actions, and return its publisher, which the service knows."""
    issuer_keys.keys_of.cache_clear()
    settings.TRUSTED_ISSUERS = {issuer.origin: "github"}
    reach_in_process(monkeypatch)
    publisher = make_publisher(make_user("lab@example.org"), issuer=issuer.origin)
    issuer.claims = {}
    for name, value in {
        "WARDBOARD_URL": ORIGIN,
        # SITE_URL of the service of the tests; elsewhere it is the address that is asked.
        "WARDBOARD_AUDIENCE": "http://localhost",
        "WARDBOARD_PUBLISHER": str(publisher.pk),
        "ACTIONS_ID_TOKEN_REQUEST_URL": f"{issuer.origin}/token?api-version=2.0",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": REQUEST_TOKEN,
        "GITHUB_SHA": COMMIT,
        "GITHUB_SERVER_URL": issuer.origin.replace("http:", "https:"),
    }.items():
        monkeypatch.setenv(name, value)
    return publisher


def test_a_release_is_scored_published_and_verified_without_a_stored_secret(job, submit, tmp_path):
    saved, receipt, keys = (tmp_path / name for name in ("submission.json", "receipt.json", "keys.json"))
    code, out, err = submit(demo.GOOD, *RELEASE, "--output", saved)
    assert (code, err) == (0, ""), out
    assert f"ci-attested: {REPOSITORY} at {COMMIT[:12]}, .github/workflows/release.yml" in out
    assert "wb_" not in out
    document = json.loads(saved.read_text())
    assert (document["published"], document["commit"]) == (True, COMMIT)
    assert document["ci_job"]["artifact_sha256"] == document["file"]["sha256"]
    assert ApiToken.objects.get().ci_job == Submission.objects.get().ci_job
    receipt.write_bytes(Api().get(f"{document['url']}receipt/").content)
    keys.write_bytes(Api().get("/api/v1/keys/").content)
    assert wardboard("verify", receipt, "--key", keys)[0] == 0
    assert submit(demo.MIDDLING, "--wait", "--fail-under", "0.99", "--publish")[0] == ExitCode.GATE_FAILED
    assert Submission.objects.filter(published_at__isnull=False).count() == 1
    outcome = library.submit(demo.GOOD, benchmark="medagentbench-demo", system="My agent", models=["m"])
    assert outcome.document["provenance"] == "ci-attested"


def test_a_job_of_gitlab_submits_with_the_token_of_a_variable_which_is_good_for_one_command(
    job, issuer, submit, monkeypatch
):
    # A job of GitLab CI has one ID token in a variable.
    monkeypatch.delenv("ACTIONS_ID_TOKEN_REQUEST_URL")
    monkeypatch.setenv("WARDBOARD_ID_TOKEN", issuer.token())
    # The answer to the exchange is lost: it is made again with the same ID token.
    monkeypatch.setattr(InProcess, "cuts", 1)
    code, out, err = submit(demo.GOOD, "--wait")
    assert (code, err) == (0, "")
    assert ApiToken.objects.count() == CiJob.objects.count() == 1
    # Its audience is in the YAML, and so before the file.
    assert f"account: {REPOSITORY}" in out
    code, out, err = wardboard("status", str(Submission.objects.get().pk))
    assert code == ExitCode.REFUSED
    assert "id-token.replayed" in out
    assert "exchanged before" in err


def merge_request(source: str, project: str) -> dict[str, str]:
    of_request = {"CI_MERGE_REQUEST_PROJECT_ID": "7", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": source}
    return {**of_request, "CI_PROJECT_ID": project}


def test_a_fork_is_told_by_what_the_ci_system_states(tmp_path):
    path, of_request = tmp_path / "event.json", {"GITHUB_EVENT_NAME": "pull_request"}
    for head, variables, expected in (
        ({"id": 2}, of_request, True),
        (None, of_request, True),  # a fork that was deleted since
        ({"id": 1}, of_request, False),
        ("broken", of_request, False),
        ({"id": 2}, {"GITHUB_EVENT_NAME": "push"}, False),
        # Its jobs have secrets also where the request is from a fork.
        ({"id": 2}, {"GITHUB_EVENT_NAME": "pull_request_target"}, False),
        (None, merge_request("8", "8"), True),
        (None, merge_request("7", "7"), False),
        (None, merge_request("8", "7"), False),  # it runs in the parent project
    ):
        event = {"pull_request": {"head": {"repo": head}, "base": {"repo": {"id": 1}}}}
        path.write_text("{" if head == "broken" else json.dumps(event))
        assert is_of_fork({**variables, "GITHUB_EVENT_PATH": str(path)}) is expected, (head, variables)


@pytest.fixture
def without_token(job, monkeypatch):
    """Let this process be a job that can get no ID token."""
    monkeypatch.delenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN")


def test_a_pull_request_from_a_fork_is_refused_by_name_and_sends_nothing(
    job, submit, monkeypatch, without_token
):
    for name, value in merge_request("8", "8").items():
        monkeypatch.setenv(name, value)
    for publisher in (str(job.pk), ""):
        monkeypatch.setenv("WARDBOARD_PUBLISHER", publisher)
        code, _, err = submit(demo.GOOD, "--wait")
        assert (code, "pull request from a fork" in err) == (ExitCode.REFUSED, True)
    assert "`wardboard validate`" in err
    assert not Submission.objects.exists()


def test_a_job_of_dependabot_is_refused_by_name(submit, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTOR", "dependabot[bot]")
    monkeypatch.setenv("WARDBOARD_TOKEN", "")
    code, _, err = submit(demo.GOOD, "--url", "http://127.0.0.1:9")
    assert (code, "Dependabot started this job" in err) == (ExitCode.REFUSED, True)


def test_a_job_that_may_have_secrets_and_has_no_token_is_an_error_and_without_any_refused(
    submit, monkeypatch, without_token
):
    for name, value in merge_request("8", "7").items():
        monkeypatch.setenv(name, value)
    code, _, err = submit(demo.GOOD, "--wait")
    assert (code, "id-token: write" in err) == (ExitCode.USAGE, True)
    for name in ("WARDBOARD_PUBLISHER", "WARDBOARD_TOKEN"):
        monkeypatch.setenv(name, "")
    assert submit(demo.GOOD, "--wait")[0] == ExitCode.USAGE
    for name in ("WARDBOARD_PUBLISHER", "WARDBOARD_TOKEN"):
        monkeypatch.delenv(name)
    assert submit(demo.GOOD, "--wait")[0] == ExitCode.REFUSED


def test_a_job_that_the_service_refuses_fails_with_each_mismatch_which_is_not_of_its_file(
    job, issuer, submit, monkeypatch
):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    TrustedPublisher.objects.update(repository_id="104928", bound_at="2026-01-01T00:00:00Z")
    issuer.claims = {"repository_id": "1", "event_name": "pull_request_target"}
    code, out, err = submit(demo.GOOD)
    assert code == ExitCode.REFUSED
    for name in ("id-token.repository-id", "id-token.event"):
        assert (f"{name}  /" in out, f"::error title={name}::" in err) == (True, True)
    with CiIssuer() as stranger:
        monkeypatch.setenv("WARDBOARD_ID_TOKEN", stranger.token())
        code, out, _ = submit(demo.GOOD, "--attempts", "1")
    assert (code, "id-token.issuer" in out) == (ExitCode.REFUSED, True)
    assert not Submission.objects.exists()
    assert not CiJob.objects.exists()


def test_a_stored_token_is_used_before_the_identity_of_the_job(job, issuer, submit, monkeypatch):
    asked = len(issuer.paths)
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_not-a-token-of-this-service")
    code, out, _ = submit(demo.GOOD)
    assert (code, len(issuer.paths)) == (ExitCode.REFUSED, asked)
    assert "authentication-failed" in out


def test_a_ci_system_that_gives_no_token_fails_the_job_by_name(job, submit, monkeypatch):
    for reply in (
        ScriptedReply(status=403),
        ScriptedReply(status=302, headers={"Location": "http://127.0.0.1:9/"}),
        ScriptedReply(body=b"<html>"),
        ScriptedReply(body=b"{}", headers={"Content-Type": "application/json"}),
        ScriptedReply(cut=-1),
    ):
        with Loopback(reply) as runner:
            monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", f"{runner.origin}/token?v=1")
            code, _, err = submit(demo.GOOD, "--attempts", "1")
        assert (code, "the CI system" in err, REQUEST_TOKEN in err) == (ExitCode.FAULT, True, False), reply


def test_the_id_token_is_sent_to_no_other_service_than_the_one_that_is_named(
    job, issuer, submit, monkeypatch
):
    """A service that redirects gets the ID token of its own address alone."""
    monkeypatch.delenv("WARDBOARD_AUDIENCE")
    with Loopback(ScriptedReply(status=307, headers={"Location": "https://example.org/"})) as other:
        monkeypatch.setenv("WARDBOARD_URL", other.origin)
        code, _, err = submit(demo.GOOD)
        (audience,) = [path for path in issuer.paths if path.startswith("/token")][-1:]
    assert code == ExitCode.FAULT
    assert "redirects" in err
    assert other.origin.rpartition(":")[2] in audience


def test_a_token_that_expires_while_the_score_is_awaited_is_exchanged_anew(job, submit, issuer, monkeypatch):
    code, _, _ = submit(demo.GOOD)
    assert code == 0
    submission = Submission.objects.get()
    client = Client(authorized(ServiceOptions(url=os.environ["WARDBOARD_URL"])))
    client.submission(str(submission.pk))
    ApiToken.objects.update(expiry="2020-01-01T00:00:00Z")
    assert client.submission(str(submission.pk))["status"] == "scored"
    assert CiJob.objects.count() == 3
