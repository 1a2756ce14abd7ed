"""The bundle for a machine without internet, installed where no route leads anywhere."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.support.paths import ROOT

BASE = os.environ.get("TEST_BASE_IMAGE")

# What docs/offline.md says. The loopback of a new network namespace is down at first.
ON_THE_MACHINE = """
set -e
ip link set lo up
"$PYTHON" -m venv opt
opt/bin/pip install --quiet --no-index --find-links wheels wardboard-server
opt/bin/wardboard serve --port 8000 --data data >served.txt 2>&1 &
trap "kill $!" EXIT
until curl --silent --fail --output /dev/null http://127.0.0.1:8000/readyz; do kill -0 $!; sleep 1; done
read_token='import json; print(json.load(open("data/demo-account.json"))["token"])'
export WARDBOARD_TOKEN=$("$PYTHON" -c "$read_token")
opt/bin/wardboard submit opt/lib/python3*/site-packages/wardboard/scoring/medagentbench/demo/good.json \
  --url http://127.0.0.1:8000 --benchmark medagentbench-demo --wait \
  --system Offline --model m --fact interaction=multi-turn
"""


def bundle(*options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.bundle", *options]
    return subprocess.run(
        command, check=False, cwd=ROOT, env=os.environ | variables, capture_output=True, text=True
    )


def make_and_unpack(folder: Path) -> Path:
    """Make the bundle and unpack it into `folder`; return the folder that it has."""
    # The image takes minutes: docs/development.md.
    options = {"PYTHON_IMAGE": BASE} if BASE else {}
    made = bundle(*([] if BASE else ["--without-image"]), **options)
    if made.returncode and "No matching distribution" in made.stderr:
        pytest.skip("no package index is reached, from which the bundle takes its wheels")
    assert made.returncode == 0, made.stderr
    with tarfile.open(made.stdout.splitlines()[-1].split("   ")[0]) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    return unpacked


def check_digests_and_bill_of_materials(unpacked: Path) -> None:
    """Every file of the bundle has its digest, and every wheel is in the bill of materials, licensed."""
    sums = dict(reversed(line.split("  ")) for line in (unpacked / "SHA256SUMS").read_text().splitlines())
    files = [path for path in unpacked.rglob("*") if path.is_file() and path.name != "SHA256SUMS"]
    assert sums == {
        str(path.relative_to(unpacked)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }
    bill = json.loads((unpacked / "sbom.cdx.json").read_text())
    components = bill["components"]
    listed = {component["hashes"][0]["content"] for component in components}
    assert listed == {sums[name] for name in sums if name.startswith("wheels/")}
    licences = {component["name"]: component.get("licenses") for component in components}
    assert licences["django"] == [{"license": {"id": "BSD-3-Clause"}}]
    assert {name for name, stated in licences.items() if not stated} <= {"wardboard", "wardboard_server"}
    assert bill["metadata"]["component"]["licenses"]


def check_wheels(unpacked: Path) -> None:
    """The bundle holds wheels alone, and none of what builds them."""
    names = [path.name for path in (unpacked / "wheels").iterdir()]
    assert all(name.endswith(".whl") for name in names)
    backends = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert not any(name.startswith(backend.partition("==")[0]) for name in names for backend in backends)


def test_no_bundle_is_made_without_the_image_unless_that_is_asked_for():
    # Nothing that builds images is found there.
    made = bundle(PATH="/nowhere")
    assert (made.returncode, made.stdout) == (1, "")
    assert "none of buildah, podman, docker is installed" in made.stderr
    assert "--without-image" in made.stderr


@pytest.mark.long
def test_a_stranger_installs_the_bundle_without_a_network_and_has_a_file_scored(tmp_path):
    # One test, since processes that run tests beside each other would each make a bundle.
    unpacked = make_and_unpack(tmp_path)
    check_digests_and_bill_of_materials(unpacked)
    check_wheels(unpacked)
    isolated = ["unshare", "--net"]
    if subprocess.run([*isolated, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no network namespace can be made here: that takes root, or a right of this user")
    assert shutil.which("ip"), "iproute2 is needed"
    environment = {"PATH": os.environ["PATH"], "HOME": str(unpacked), "PIP_CONFIG_FILE": os.devnull}
    environment["PYTHON"] = sys.executable
    process = subprocess.run(
        [*isolated, "bash", "-c", ON_THE_MACHINE],
        check=False,
        cwd=unpacked,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert process.returncode == 0, process.stderr + (unpacked / "served.txt").read_text()
    assert "status         scored" in process.stdout
