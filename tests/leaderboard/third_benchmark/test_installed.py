"""A service in an environment with an installed benchmark has boards of it, without a line of its own."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_urlsafe
from types import SimpleNamespace

import pytest
import requests

from tests.support import plugins, processes
from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch, ExactReference

# It installs a package and starts a service, which takes a minute.
pytestmark = pytest.mark.long


@contextlib.contextmanager
def serving(env: dict[str, str], folder: Path) -> Iterator[str]:
    """Run `wardboard serve` in `folder`; yield its address once it responds."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ["--port", str(port), "--data", str(folder / "data")]
    command = [sys.executable, "-m", "wardboard", "serve", *options]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
    try:
        address, end = f"http://127.0.0.1:{port}", time.monotonic() + 240
        while True:
            assert server.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < end, (folder / "log").read_text()
            # Before it listens, a server of another test may have taken the port.
            if "Listening at" in (folder / "log").read_text():
                requests.get(f"{address}/healthz", timeout=120).raise_for_status()
                break
            time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=120)


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[SimpleNamespace]:
    """Serve with the example benchmark installed, and a board of it.

    The value has the `address`, the `folder`, and `run`, which runs Python in the same environment.
    """
    folder = tmp_path_factory.mktemp("service")
    (folder / "data").mkdir()
    site = plugins.install(plugins.EXACT_MATCH, folder / "site")
    settings = {"DJANGO_SETTINGS_MODULE": "leaderboard.settings", "SECRET_KEY": token_urlsafe(50)}
    env = plugins.environment(site, DEMO="0", WARDBOARD_DATA=str(folder / "data"), **settings)
    references = {f"q{n}": ExactReference(answer=str(n)) for n in range(30)}
    (folder / "references.json").write_bytes(ExactMatch().dump_references(references))

    def run(*arguments: object, **more: str) -> str:
        process = processes.run(*arguments, env=env | more, cwd=folder)
        assert process.returncode == 0, process.stderr
        return process.stdout

    with serving(env, folder) as address:
        options = ["--references", folder / "references.json", "--slug", "exact", "--title", "Exact"]
        run(plugins.ROOT / "manage.py", "import_references", "exact-match", *options)
        # Otherwise organisers approve the team before it publishes.
        opened = "from leaderboard.models import Board; Board.objects.update(access='anyone')"
        run(plugins.ROOT / "manage.py", "shell", "-c", opened)
        yield SimpleNamespace(address=address, folder=folder, run=run)


def page(service: SimpleNamespace, path: str) -> str:
    response = requests.get(f"{service.address}{path}", timeout=120)
    assert response.status_code == 200, path
    return re.sub(r"\s+", " ", response.text)


def test_a_file_of_an_installed_benchmark_is_submitted_scored_and_ranked(service):
    answers = [{"id": f"q{n}", "answer": str(n) if n < 24 else "?"} for n in range(30)]
    (service.folder / "answers.json").write_text(json.dumps(answers))
    token = service.run(plugins.ROOT / "manage.py", "api_token", "ada@example.org").strip()
    command = ["submit", "answers.json", "--benchmark", "exact", "--system", "Copycat", "--model", "model-a"]
    known = {"WARDBOARD_URL": service.address, "WARDBOARD_TOKEN": token}
    assert "80.0%" in service.run("-m", "wardboard", *command, "--publish", **known)
    assert "Copycat" in page(service, "/benchmarks/exact/")
    leaderboard = requests.get(f"{service.address}/api/v1/benchmarks/exact/leaderboard/", timeout=120).json()
    assert len(leaderboard["rows"]) == 1


def test_the_texts_of_an_installed_benchmark_are_translated(service):
    assert "Write down the one true answer." in page(service, "/benchmarks/exact/about/")
    about = page(service, "/zh-hant/benchmarks/exact/about/")
    assert "寫下唯一正確的答案。" in about
    assert "Write down the one true answer." not in about
