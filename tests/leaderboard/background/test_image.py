"""The image is built, and its commands run, where buildah and a base image are.

It takes minutes, so TEST_BASE_IMAGE has to ask for it; docs/development.md says how. TEST_BUILD_OPTIONS are
further options of `buildah build`.
"""

import os
import shlex
import shutil
import subprocess

import pytest
import requests

from tests.support.paths import ROOT
from tests.support.processes import wait_for

BASE = os.environ.get("TEST_BASE_IMAGE", "")
NAME = "localhost/wardboard-test"
SERVE = ("gunicorn", "-c", "python:leaderboard.gunicorn", "--worker-tmp-dir", "/dev/shm", "leaderboard.wsgi")


def buildah(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["buildah", *arguments], check=False, cwd=ROOT, capture_output=True, text=True, timeout=1800
    )


@pytest.fixture
def container(closed_port, monkeypatch):
    """Build the image; return a container of it, whose server would listen on `closed_port`."""
    if not shutil.which("buildah"):
        pytest.skip("no buildah")
    if not BASE:
        pytest.skip("no base image: TEST_BASE_IMAGE names one")
    # Needs no rights that a container lacks, and has the network of the machine.
    monkeypatch.setenv("BUILDAH_ISOLATION", "chroot")
    options = shlex.split(os.environ.get("TEST_BUILD_OPTIONS", ""))
    built = buildah("build", "--build-arg", f"PYTHON_IMAGE={BASE}", *options, "--tag", NAME, ".")
    assert built.returncode == 0, built.stderr[-3000:]
    name = buildah("from", NAME).stdout.strip()
    settings = {
        "SECRET_KEY": "q8Zr1uXkT5vN0aLwE3yHs7Jd9GfCb2MpRtUoViWn4KxYzAeSQh6BgDlF",
        "ALLOWED_HOSTS": "127.0.0.1",
        "BIND": f"127.0.0.1:{closed_port}",
    }
    for variable, value in settings.items():
        assert buildah("config", "--env", f"{variable}={value}", name).returncode == 0
    yield name
    buildah("rm", name)
    buildah("rmi", NAME)


def test_the_image_migrates_and_serves_as_an_unprivileged_user(container, closed_port):
    assert buildah("run", container, "--", "id", "-u").stdout.strip() == "10001"
    refused = buildah("run", container, "--", *SERVE)
    assert refused.returncode == 1
    assert "The database is empty." in refused.stderr
    migrated = buildah("run", container, "--", "python", "manage.py", "migrate", "--noinput")
    assert migrated.returncode == 0, migrated.stderr
    # Its output stays on the terminal of the test, which shows it if the test fails.
    server = subprocess.Popen(["buildah", "run", container, "--", *SERVE])
    base = f"http://127.0.0.1:{closed_port}"

    def is_healthy() -> bool:
        try:
            return requests.get(f"{base}/healthz", timeout=5).status_code == 200
        except requests.RequestException:
            return False

    try:
        wait_for(is_healthy)
        page = requests.get(f"{base}/", timeout=30)
        assert page.status_code == 200
        # Under a name with a digest: the files were collected for the image.
        (css,) = {part for part in page.text.split('"') if part.startswith("/static/") and ".css" in part}
        assert requests.get(f"{base}{css}", timeout=30).headers["Cache-Control"].endswith("immutable")
    finally:
        server.terminate()
        server.wait(timeout=60)
