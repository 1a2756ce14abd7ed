"""Fixtures for what a new user of CI does: the command, against a real service and against what is none."""

import os

import pytest
from django.core.cache import cache

from leaderboard.services.accounts import create_token
from tests.support.ci_issuer import CiIssuer
from tests.support.cli import wardboard
from tests.support.factories import make_demo, make_user
from tests.support.in_process import ORIGIN, reach_in_process
from tests.support.processes import environment, served
from wardboard.client.ci_systems import CI_SYSTEMS

VARIABLES = (
    *("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "WARDBOARD_URL", "WARDBOARD_TOKEN"),
    "WARDBOARD_TEAM",
    *("WARDBOARD_PUBLISHER", "WARDBOARD_ID_TOKEN", "WARDBOARD_AUDIENCE"),
    *("GITHUB_SHA", "GITHUB_RUN_ID", "CI_COMMIT_SHA", "CI_JOB_URL"),
    *("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH"),
    *("GITHUB_ACTOR", "GITHUB_REF", "GITHUB_HEAD_REF", "CI_PIPELINE_SOURCE", "CI_MERGE_REQUEST_IID"),
    *("BUILD_SOURCEBRANCH", "CI_COMMIT_TIMESTAMP", "PRE_COMMIT"),
    *("CI", *(name for system in CI_SYSTEMS for name in (system.commit, *system.requests.split()))),
    *("CI_PROJECT_ID", "CI_MERGE_REQUEST_PROJECT_ID", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID"),
)


@pytest.fixture(autouse=True)
def empty_job(monkeypatch, tmp_path):
    """Take the variables of the machine that runs the tests out of the environment, and what it keeps."""
    for name in (*VARIABLES, *(name for name in os.environ if name.startswith("ACTIONS_ID_TOKEN"))):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    cache.clear()


@pytest.fixture(scope="session")
def issuer():
    """Serve an issuer of ID tokens."""
    with CiIssuer() as issuer:
        yield issuer


@pytest.fixture
def service(demo, monkeypatch) -> str:
    """Return the address of the service in this process; the command knows it and a token."""
    reach_in_process(monkeypatch)
    monkeypatch.setenv("WARDBOARD_URL", ORIGIN)
    token = create_token(user=make_user("ci@example.org"), name="t", days=1)[1]
    monkeypatch.setenv("WARDBOARD_TOKEN", token)
    return ORIGIN


@pytest.fixture(scope="session")
def port(django_db_setup, django_db_blocker):
    """Start a gunicorn on the test database, and return its port."""
    with django_db_blocker.unblock():
        env = environment()
    with served(env) as port:
        yield port


@pytest.fixture
def served_service(port, transactional_db, monkeypatch) -> str:
    """Return the address of a service in another process, for commands in processes of their own."""
    make_demo()
    token = create_token(user=make_user("ci@example.org"), name="t", days=1)[1]
    monkeypatch.setenv("WARDBOARD_TOKEN", token)
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def submit():
    """Run `wardboard submit` on the demonstration's leaderboard; return exit code, stdout and stderr."""

    def run(*arguments, system="My agent", stdin=b""):
        return wardboard(
            *("submit", "--benchmark", "medagentbench-demo", "--system", system, "--model", "m"),
            *arguments,
            stdin=stdin,
        )

    return run
