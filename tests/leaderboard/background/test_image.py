"""The image is built, and serves as compose.yaml confines it, where podman and a base image are.

It takes minutes, so TEST_BASE_IMAGE has to ask for it; docs/development.md says how.
"""

import json
import os
import shutil
import subprocess

import pytest
import requests
import yaml

from tests.support.paths import ROOT
from tests.support.processes import wait_for

BASE = os.environ.get("TEST_BASE_IMAGE", "")
NAME = "localhost/wardboard-test"
SERVICE = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["web"]


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


@pytest.fixture
def options(image, closed_port):
    """Return the options of a container with a volume, and with what compose.yaml denies it."""
    volume = podman("volume", "create").strip()
    environ = {
        "SECRET_KEY": "q8Zr1uXkT5vN0aLwE3yHs7Jd9GfCb2MpRtUoViWn4KxYzAeSQh6BgDlF",
        "ALLOWED_HOSTS": "127.0.0.1",
        "BIND": f"127.0.0.1:{closed_port}",
    }
    yield [
        # podman would add folders that can be written to.
        *("--network=host", "--read-only", "--read-only-tmpfs=false", f"--volume={volume}:/data"),
        f"--pids-limit={SERVICE['pids_limit']}",
        # The default of a variable.
        f"--memory={SERVICE['mem_limit'].split(':-')[1].removesuffix('}')}",
        *(f"--tmpfs={path}" for path in SERVICE["tmpfs"]),
        *(f"--cap-drop={name}" for name in SERVICE["cap_drop"]),
        *(f"--security-opt={option}" for option in SERVICE["security_opt"]),
        *(f"--env={name}={value}" for name, value in environ.items()),
    ]
    podman("volume", "rm", volume)


def answers(address: str) -> bool:
    try:
        return requests.get(address, timeout=60).ok
    except requests.ConnectionError:
        return False


@pytest.mark.long
def test_the_image_scores_a_file_as_a_user_without_rights(options, closed_port, good_file):
    def run(*command: str) -> str:
        return podman("run", "--rm", *options, NAME, *command)

    url = f"http://127.0.0.1:{closed_port}"
    rights = run("sh", "-c", "id -u; grep -hE 'CapBnd|NoNewPrivs' /proc/self/status")
    assert rights.split() == ["10001", "CapBnd:", "0" * 16, "NoNewPrivs:", "1"]
    run("python", "manage.py", "migrate", "--noinput")
    run("python", "manage.py", "load_demo", "--address", url)
    token = json.loads(run("cat", "/data/demo-account.json"))["token"]
    container = podman("run", "--detach", *options, NAME).strip()
    try:
        wait_for(lambda: answers(f"{url}/readyz"))
        sent = requests.post(
            f"{url}/api/v1/submissions/",
            headers={"Authorization": f"Bearer {token}"},
            data={"benchmark": "medagentbench-demo", "system": "Image", "models": "m", "publish": "true"},
            files={"file": ("good.json", good_file + b" ")},
            timeout=60,
        )
        assert sent.json()["result"]["score"] == pytest.approx(47 / 50)
        card = requests.get(f"{url}/benchmarks/medagentbench-demo/card.png", timeout=60)
        assert card.headers["Content-Type"] == "image/png"
        # Under a name with a digest: the files were collected for the image.
        page = requests.get(url, timeout=60).text
        styles = {part for part in page.split('"') if part.startswith("/static/") and ".css" in part}
        assert styles
        for path in styles:
            assert requests.get(f"{url}{path}", timeout=30).headers["Cache-Control"].endswith("immutable")
    finally:
        podman("rm", "--force", "--time=0", container)
