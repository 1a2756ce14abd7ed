"""The commands of compose.yaml, run in its order and with its variables as processes of this machine.

nginx runs with the files of its proxy. PostgreSQL stands in for its database. Networks,
volumes and health checks of containers are not tried.
"""

import json
import re
import subprocess
from graphlib import TopologicalSorter

import pytest
import requests
import yaml

from tests.support import nginx, processes
from tests.support.paths import ROOT
from tests.support.processes import answers, environment, wait_for

# What the operator has to set; compose asks for it.
GIVEN = {
    "SECRET_KEY": "q8Zr1uXkT5vN0aLwE3yHs7Jd9GfCb2MpRtUoViWn4KxYzAeSQh6BgDlF",
    "POSTGRES_PASSWORD": "letters1",
    "ALLOWED_HOSTS": "127.0.0.1",
}
_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def interpolate(text: object) -> str:
    """Replace the variables as compose does. Raises KeyError for one that it demands."""

    def value(match: re.Match[str]) -> str:
        name, kind, default = match.groups()
        return GIVEN.get(name, default) if kind == "-" else GIVEN[name]

    return _VARIABLE.sub(value, str(text)).replace("$$", "$")


def words_of(service: dict) -> list[str]:
    """Return the command of a service: its own, or that of the image; Python's programs as modules."""
    command = service.get("command")
    if command is None:
        dockerfile = (ROOT / "Dockerfile").read_text()
        command = json.loads(re.search(r"^CMD (\[.*\])$", dockerfile, re.MULTILINE)[1])
    program, *rest = command if isinstance(command, list) else command.split()
    return rest if program == "python" else ["-m", program, *rest]


@pytest.fixture
def proxy_port(closed_port, tmp_path):
    if not nginx.PROGRAM:
        pytest.skip("no nginx: .ci/apt nginx")
    with nginx.nginx_before(closed_port, tmp_path / "nginx") as port:
        yield port


@pytest.mark.long
def test_the_services_of_compose_start_in_order_and_score_a_file(
    start, postgres, closed_port, proxy_port, tmp_path, good_file
):
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    order = TopologicalSorter({name: service.get("depends_on", {}) for name, service in services.items()})
    ours = [name for name in order.static_order() if "build" in services[name]]
    assert ours[0] == "migrate"
    address = f"127.0.0.1:{closed_port}"
    processes = []
    for name in ours:
        given = {key: interpolate(value) for key, value in services[name]["environment"].items()}
        assert given["DATABASE_URL"] == "postgres://wardboard:letters1@db:5432/wardboard"
        # The addresses of this machine in the place of those in the network of compose.
        given |= {"DATABASE_URL": postgres, "BIND": address}
        given["WARDBOARD_DATA"] = str(tmp_path)
        words = words_of(services[name])
        if services[name].get("restart") == "no":
            done = run(words, given)
            assert done.returncode == 0, done.stderr
            continue
        processes.append(start(*(words[1:] if words[0] == "-m" else words), **given))
    # What is reached from outside.
    address = f"127.0.0.1:{proxy_port}"
    loaded = run(["manage.py", "load_demo", "--address", f"http://{address}"], given)
    assert loaded.returncode == 0, loaded.stderr
    token = json.loads((tmp_path / "demo-account.json").read_text())["token"]
    api = f"http://{address}/api/v1"

    wait_for(lambda: answers(f"http://{address}"))
    headers = {"Authorization": f"Bearer {token}"}
    facts = {"benchmark": "medagentbench-demo", "system": "Compose", "models": "m", "publish": "true"}
    sent = requests.post(
        f"{api}/submissions/",
        headers=headers,
        data=facts,
        files={"file": ("good.json", good_file + b" ")},
        timeout=60,
    )
    assert sent.status_code in (201, 202), sent.text
    url = f"http://{address}{sent.json()['url']}"

    def result() -> dict | None:
        return requests.get(url, headers=headers, timeout=60).json()["result"]

    assert wait_for(result)["score"] == pytest.approx(47 / 50)
    assert all(process.poll() is None for process in processes)
    # The workers of all lanes have given signs of life.
    wait_for(lambda: requests.get(f"http://{address}/readyz", timeout=60).status_code == 200)


def run(words: list[str], given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return processes.run(*words, env=environment(**given), timeout=300)
