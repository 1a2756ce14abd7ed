"""What the tests of the API share."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest
import requests
from django.conf import settings
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from leaderboard.services.accounts import create_token
from tests.support.factories import make_demo, make_user

SUBMISSIONS = "/api/v1/submissions/"
# Of the files that the gunicorn below takes, in bytes.
LIMIT = 200_000


@pytest.fixture(autouse=True)
def _rates_start_anew():
    cache.clear()


@dataclass
class Api:
    """A client that sends a token, and files as the API takes them."""

    token: str = ""
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def headers(self, **more: str) -> dict[str, str]:
        return {**({"Authorization": f"Bearer {self.token}"} if self.token else {}), **more}

    def get(self, path: str, data=None, **headers: str):
        return self.client.get(path, data, headers=self.headers(**headers))

    def post(self, path: str, data: Any = None, content_type: str | None = None, **headers: str):
        kind = {"content_type": content_type} if content_type else {}
        return self.client.post(path, data, headers=self.headers(**headers), **kind)

    def send(self, raw: bytes, facts: dict, *, path: str = SUBMISSIONS, key: str = "", **fields: str):
        """POST `raw` as a form, to the demonstration board unless told otherwise."""
        data = {"benchmark": "medagentbench-demo", "file": as_file(raw), **facts, **fields}
        return self.post(path, data, **({"Idempotency-Key": key} if key else {}))

    def send_body(self, raw: bytes, query: dict, *, path: str = SUBMISSIONS, kind: str = "application/json"):
        """POST `raw` as the body itself."""
        query = {"benchmark": "medagentbench-demo", **query}
        return self.client.post(path, raw, content_type=kind, headers=self.headers(), query_params=query)


def as_file(raw: bytes, name: str = "results.json") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, raw, content_type="application/json")


@pytest.fixture
def anonymous() -> Api:
    return Api()


@pytest.fixture
def api(user) -> Api:
    return Api(create_token(user=user, name="tests", days=1)[1])


@pytest.fixture
def other_api(other_user) -> Api:
    return Api(create_token(user=other_user, name="tests", days=1)[1])


@pytest.fixture
def scored(api, demo, good_file, system_facts) -> dict:
    """A submission of `user` with a score, as the API showed it."""
    response = api.send(good_file, system_facts)
    assert response.status_code == 201, response.content
    return response.json()


def assert_problem(response, status: int, code: str) -> dict:
    """Check that the response is a whole problem document, and return it."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    said = response.json()
    assert (said["status"], said["code"]) == (status, code)
    assert said["type"] == f"/api/problems/{code}/"
    assert {"title", "detail", "instance", "hint"} <= said.keys()
    return said


# --- A real server over the tests' database --------------------------------------------------------


def database_url() -> str:
    """The address of the database that this test run uses."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{told['NAME']}"
    who = f"{quote(told['USER'])}:{quote(told['PASSWORD'])}@" if told["USER"] else ""
    port = f":{told['PORT']}" if told["PORT"] else ""
    return f"postgres://{who}{told['HOST']}{port}/{told['NAME']}"


@pytest.fixture(scope="module")
def port(django_db_setup, django_db_blocker):
    """The port of a gunicorn that serves the tests' database."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with django_db_blocker.unblock():
        url = database_url()
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "DATABASE_URL": url,
        "UPLOAD_MAX_BODY_BYTES": str(LIMIT),
    }
    command = [sys.executable, "-m", "gunicorn", "--workers=1", "--threads=2", f"--bind=127.0.0.1:{port}"]
    server = subprocess.Popen(
        [*command, "leaderboard.wsgi"], env=env, cwd=settings.BASE_DIR, stderr=subprocess.PIPE
    )
    try:
        _wait_for(port, server)
        yield port
    finally:
        server.terminate()
        server.communicate(timeout=120)


def _wait_for(port: int, server: subprocess.Popen) -> None:
    for _ in range(1200):
        if server.poll() is not None:
            raise RuntimeError(server.stderr.read().decode())
        # What listens has not loaded the service yet: the first answer may take its time.
        with contextlib.suppress(requests.RequestException):
            requests.get(f"http://127.0.0.1:{port}/healthz", timeout=120)
            return
        time.sleep(0.1)
    raise RuntimeError("gunicorn did not begin to listen")


@pytest.fixture
def token(transactional_db) -> str:
    make_demo()
    return create_token(user=make_user("wire@example.org"), name="t", days=1)[1]
