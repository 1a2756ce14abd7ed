"""The command in an environment where strangers' packages have names that ours have in a checkout."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.environments import Environment
from tests.support.paths import ROOT
from wardboard.scoring.medagentbench import demo

FOREIGN = {
    "scoring/__init__.py": "raise ImportError('the package of a stranger')\n",
    "scoring/registry.py": "BENCHMARKS = {}\n",
    "leaderboard/__init__.py": "raise ImportError('the package of a stranger')\n",
    "leaderboard/serve.py": "print('the service of a stranger')\n",
}
COMMANDS = {
    ("--version",): 0,
    ("validate", str(demo.GOOD), "--tasks", str(demo.TASKS)): 0,
    ("validate", str(demo.MALFORMED), "--tasks", str(demo.TASKS), "--json"): 1,
    ("grade", str(demo.GOOD), "--references", str(demo.FOLDER), "--by-task"): 0,
    ("submit", "--help"): 0,
}


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Environment:
    """An environment with our wheel of the command and no other package of these names."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    environment = Environment(tmp_path_factory.mktemp("alone"))
    environment.install(*folder.glob("*.whl"))
    return environment


@pytest.fixture
def strangers(alone) -> Iterator[Path]:
    """Put the packages of strangers beside the command; return the folder of the one that is no service."""
    paths = [alone.site / name for name in FOREIGN]
    for path, text in zip(paths, FOREIGN.values(), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    yield alone.site / "leaderboard"
    for path in paths:
        path.unlink()


@pytest.mark.long
def test_packages_of_strangers_change_nothing(alone, request):
    expected = {words: alone.run(*words) for words in COMMANDS}
    assert {words: code for words, (code, _, _) in expected.items()} == COMMANDS
    assert all(printed for _, printed, _ in expected.values())
    request.getfixturevalue("strangers")
    assert {words: alone.run(*words) for words in COMMANDS} == expected


def test_serving_says_what_to_install_where_the_service_is_missing(alone):
    words = "wardboard: the service is not installed: pip install wardboard-server\n"
    assert alone.run("serve") == (2, "", words)


def test_serving_runs_no_package_of_a_stranger(alone, strangers):
    words = f"{strangers} is not the service: pip install wardboard-server into an environment of its own"
    assert alone.run("serve") == (2, "", f"wardboard: {words}\n")


def test_serving_runs_no_module_of_the_working_folder(alone, tmp_path):
    (tmp_path / "leaderboard.py").write_text("print('of a stranger')\n")
    code, out, errors = alone.run("serve", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert f"{tmp_path / 'leaderboard'} is not the service" in errors
