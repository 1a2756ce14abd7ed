"""The image is built, and serves as compose.yaml confines it, where podman and a base image are.

It takes minutes, so TEST_BASE_IMAGE has to ask for it; docs/development.md says how.
"""

import json
import os
import shutil
import subprocess

import psycopg
import pytest
import requests
import yaml

from tests.support.paths import ROOT
from tests.support.processes import wait_for

BASE = os.environ.get("TEST_BASE_IMAGE", "")
NAME = "localhost/wardboard-test"
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


def podman(*arguments: str) -> str:
    """Run podman to its end; return what it wrote."""
    done = subprocess.run(
        ["podman", *arguments], check=False, cwd=ROOT, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def image():
    """Build the image; remove it in the end."""
    if not shutil.which("podman"):
        pytest.skip("no podman")
    if not BASE:
        pytest.skip("no base image: TEST_BASE_IMAGE names one")
    # With the health check, which images in the format of OCI have not.
    podman("build", "--format", "docker", "--build-arg", f"PYTHON_IMAGE={BASE}", "--tag", NAME, ".")
    yield NAME
    podman("rmi", NAME)


class Containers:
    """Containers of the image on one volume, with what compose.yaml denies them."""

    def __init__(self, port: int, **environ: str) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._volume = podman("volume", "create").strip()
        self._running: list[str] = []
        self._environ = {
            "SECRET_KEY": "q8Zr1uXkT5vN0aLwE3yHs7Jd9GfCb2MpRtUoViWn4KxYzAeSQh6BgDlF",
            "ALLOWED_HOSTS": "127.0.0.1",
            "BIND": f"127.0.0.1:{port}",
            **environ,
        }

    def _options(self, service: dict) -> list[str]:
        assert service["read_only"]
        # podman would add folders that can be written to.
        options = ["--network=host", "--read-only", "--read-only-tmpfs=false"]
        options += [f"--pids-limit={service['pids_limit']}"]
        if "mem_limit" in service:
            # The default of a variable.
            options += [f"--memory={service['mem_limit'].split(':-')[1].removesuffix('}')}"]
        options += [f"--tmpfs={path}" for path in service["tmpfs"]]
        options += [f"--cap-drop={name}" for name in service["cap_drop"]]
        options += [f"--security-opt={option}" for option in service["security_opt"]]
        options += [f"--volume={self._volume}:/data"]
        return options + [f"--env={name}={value}" for name, value in self._environ.items()]

    def run(self, *command: str) -> str:
        """Run a command to its end; return what it wrote."""
        return podman("run", "--rm", *self._options(SERVICES["migrate"]), NAME, *command)

    def start(self, name: str) -> None:
        service = SERVICES[name]
        options = ["--detach", *self._options(service)]
        self._running.append(podman("run", *options, NAME, *service.get("command", [])).strip())

    def end(self) -> None:
        for container in self._running:
            # For the report of a failed test.
            subprocess.run(["podman", "logs", container], check=True)
            podman("rm", "--force", "--time=0", container)
        podman("volume", "rm", self._volume)


@pytest.fixture
def containers(image, closed_port):
    made = []

    def make(**environ: str) -> Containers:
        made.append(Containers(closed_port, **environ))
        return made[0]

    yield make
    for each in made:
        each.end()


@pytest.fixture
def postgres_by_password(postgres):
    """Yield the URL of an empty database for a role with a password: containers have another user."""
    with psycopg.connect(postgres, autocommit=True) as server:
        name, port = server.info.dbname, server.info.port
        server.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'letters1'")
        server.execute(f"ALTER DATABASE {name} OWNER TO {name}")
        yield f"postgres://{name}:letters1@127.0.0.1:{port}/{name}"
        server.execute(f"REASSIGN OWNED BY {name} TO CURRENT_USER")
        server.execute(f"DROP ROLE {name}")


def answer(url: str, **options) -> requests.Response | None:
    try:
        return requests.get(url, timeout=60, **options)
    except requests.ConnectionError:
        return None


def check_that_a_file_is_scored(containers: Containers, file: bytes) -> None:
    """Make the demonstration, publish a file to it, and wait for its score and for its picture."""
    containers.run("python", "manage.py", "load_demo", "--address", containers.url)
    account = json.loads(containers.run("cat", "/data/demo-account.json"))
    headers = {"Authorization": f"Bearer {account['token']}"}
    wait_for(lambda: (ready := answer(f"{containers.url}/readyz")) and ready.ok)
    sent = requests.post(
        f"{containers.url}/api/v1/submissions/",
        headers=headers,
        data={"benchmark": "medagentbench-demo", "system": "Image", "models": "m", "publish": "true"},
        files={"file": ("good.json", file + b" ")},
        timeout=60,
    )
    assert sent.status_code in (201, 202), sent.text
    url = f"{containers.url}{sent.json()['url']}"
    result = wait_for(lambda: requests.get(url, headers=headers, timeout=60).json()["result"])
    assert result["score"] == pytest.approx(47 / 50)
    card = requests.get(f"{containers.url}/benchmarks/medagentbench-demo/card.png", timeout=60)
    assert card.headers["Content-Type"] == "image/png"


@pytest.mark.long
def test_the_image_serves_with_sqlite_as_a_user_without_rights(containers, good_file):
    made = containers()
    rights = made.run("sh", "-c", "id -u; grep -hE 'CapBnd|NoNewPrivs' /proc/self/status")
    assert rights.split() == ["10001", "CapBnd:", "0" * 16, "NoNewPrivs:", "1"]
    made.run("python", "manage.py", "migrate", "--noinput")
    made.start("web")
    check_that_a_file_is_scored(made, good_file)
    # Under a name with a digest: the files were collected for the image.
    page = requests.get(made.url, timeout=60).text
    styles = {part for part in page.split('"') if part.startswith("/static/") and ".css" in part}
    assert styles
    for path in styles:
        assert requests.get(f"{made.url}{path}", timeout=30).headers["Cache-Control"].endswith("immutable")


@pytest.mark.long
def test_the_image_serves_with_postgresql_and_a_worker(postgres_by_password, containers, good_file):
    made = containers(DATABASE_URL=postgres_by_password, WORKERS="1")
    made.run("python", "manage.py", "migrate", "--noinput")
    made.start("web")
    made.start("worker")
    check_that_a_file_is_scored(made, good_file)
