"""The command in an environment where strangers' packages have names that ours have in a checkout."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.environments import Environment
from tests.support.foreign_packages import make_wheel
from tests.support.paths import ROOT
from wardboard.scoring.medagentbench import demo

FOREIGN = {
    "scoring": {
        "scoring/__init__.py": "raise ImportError('the package of a stranger')\n",
        "scoring/registry.py": "BENCHMARKS = {}\n",
    },
    "leaderboard": {
        "leaderboard/__init__.py": "raise ImportError('the package of a stranger')\n",
        "leaderboard/serve.py": "print('the service of a stranger')\n",
    },
}
COMMANDS = {
    "version": ["--version"],
    "validate": ["validate", str(demo.GOOD), "--tasks", str(demo.TASKS)],
    "validate a bad file": ["validate", str(demo.MALFORMED), "--tasks", str(demo.TASKS), "--json"],
    "grade": ["grade", str(demo.GOOD), "--references", str(demo.FOLDER), "--by-task"],
    "submit": ["submit", "--help"],
}
EXIT_CODES = dict.fromkeys(COMMANDS, 0) | {"validate a bad file": 1}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, Path]:
    """Our wheel of the command, and one of a stranger for each name."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    (ours,) = folder.glob("*.whl")
    return {"ours": ours} | {name: make_wheel(folder, name, files) for name, files in FOREIGN.items()}


@pytest.fixture(scope="module")
def alone(wheels, tmp_path_factory) -> Environment:
    """An environment with the command and no other package of these names."""
    environment = Environment(tmp_path_factory.mktemp("alone"))
    environment.install(wheels["ours"])
    return environment


@pytest.fixture(scope="module")
def expected(alone) -> dict[str, tuple[int, str, str]]:
    """What the commands print and return where no package of a stranger is."""
    return {name: alone.run(*arguments) for name, arguments in COMMANDS.items()}


@pytest.fixture(scope="module", params=["before", "after"])
def beside(request, wheels, tmp_path_factory) -> Environment:
    """An environment in which the packages of strangers were installed before the command, or after it."""
    environment = Environment(tmp_path_factory.mktemp("beside"))
    strangers = [wheels[name] for name in FOREIGN]
    for together in [strangers, [wheels["ours"]]][:: 1 if request.param == "before" else -1]:
        environment.install(*together)
    return environment


def test_the_command_is_that_of_the_wheel(alone):
    program = "import wardboard.scoring; print(wardboard.scoring.__file__)"
    command = [str(alone.folder / "bin" / "python"), "-c", program]
    found = subprocess.run(command, cwd=alone.folder, check=True, capture_output=True, text=True)
    assert found.stdout.strip() == str(alone.site / "wardboard/scoring/__init__.py")


@pytest.mark.long
def test_packages_of_strangers_change_nothing(expected, beside):
    assert {name: code for name, (code, _, _) in expected.items()} == EXIT_CODES
    assert all(printed for _, printed, _ in expected.values())
    assert {name: beside.run(*arguments) for name, arguments in COMMANDS.items()} == expected


def test_the_command_leaves_the_packages_of_strangers_whole(beside):
    for files in FOREIGN.values():
        for path, text in files.items():
            assert (beside.site / path).read_text() == text


def test_serving_says_what_to_install_where_the_service_is_missing(alone):
    assert alone.run("serve") == (
        2,
        "",
        "wardboard: the service is not installed: pip install wardboard-server\n",
    )


def test_serving_runs_no_package_of_a_stranger(beside):
    code, out, errors = beside.run("serve")
    assert (code, out) == (2, "")
    assert errors == (
        f"wardboard: {beside.site / 'leaderboard'} is not the service: "
        "pip install wardboard-server into an environment of its own\n"
    )


def test_serving_runs_no_module_of_the_working_folder(alone, tmp_path):
    (tmp_path / "leaderboard.py").write_text("print('of a stranger')\n")
    code, out, errors = alone.run("serve", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert f"{tmp_path / 'leaderboard'} is not the service" in errors
