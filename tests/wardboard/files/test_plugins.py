"""The command finds the benchmarks of installed distributions, and names those that it cannot use."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import processes
from tests.support.paths import ROOT
from wardboard.scoring.medagentbench import demo


def environment(site: Path, **more: str) -> dict[str, str]:
    """Return an environment without the settings of the tests, in which the folder `site` is on the path."""
    unset = ("DJANGO_SETTINGS_MODULE", "DATABASE_URL", "WARDBOARD_DATA", "SECRET_KEY", "BIND", "SITE_URL")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return {**kept, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", **more}


def wardboard(*arguments: object, on_path: Path, cwd: Path):
    return processes.run("-m", "wardboard", *arguments, env=environment(on_path), cwd=cwd)


def test_an_installed_benchmark_is_named_and_its_files_are_checked(site, tmp_path):
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", *options, "--target", str(site)]
    example = ROOT / "tests" / "support" / "exact_match"
    subprocess.run([*pip, str(example)], check=True, capture_output=True, timeout=240)
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps([{"id": "q0", "answer": "0"}, {"id": "q1", "answer": "?"}]))
    help_text = wardboard("validate", "--help", on_path=site, cwd=tmp_path).stdout
    assert "exact-match" in "".join(help_text.split())
    checked = wardboard("validate", answers, "--benchmark", "exact-match", on_path=site, cwd=tmp_path)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "2 results" in checked.stdout


# What is wrong with the module `wards`, and what the warning says of it.
_SAME = (
    "from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch\n"
    "class Wards(ExactMatch):\n    "
)
_FAULTS = {
    "import": ("import no_such_library", "cannot be imported (ModuleNotFoundError: No module named"),
    "no benchmark": ("class Wards: pass", "is no subclass of wardboard.scoring.benchmark.Benchmark"),
    "abstract": (
        "from wardboard.scoring.benchmark import Benchmark\nclass Wards(Benchmark):\n    slug = 'wards'",
        "cannot be used (TypeError: Can't instantiate abstract class Wards",
    ),
    "earlier shape": (
        f"{_SAME}slug = 'wards'\n    def published_boards(self):\n        return []",
        "cannot be used (TypeError: 'method' object is not iterable)",
    ),
    "taken": (f"{_SAME}slug = 'medagentbench'", "has the slug medagentbench, which another benchmark has"),
    "no slug": (f"{_SAME}slug = 'The Wards'", "has the slug 'The Wards'"),
    "no reason": (f"{_SAME}slug = 'wards'\n    reasons = ()", "has reasons that cannot be stored"),
}


@pytest.fixture
def site(tmp_path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def install(site: Path, source: str, module: str = "wards") -> None:
    """Put a distribution into `site` as an installer would: one module, and one entry point."""
    (site / f"{module}.py").write_text(source)
    info = site / f"{module}_rounds-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}-rounds\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[wardboard.benchmarks]\n{module} = {module}:Wards\n")


def test_plugins_with_faults_are_named_each_with_its_fault_and_the_others_go_on(site, tmp_path):
    members = ("records", "plain_file", "score", "dump_references", "load_references", "is_correct", "read")
    methods = "".join(f"    def {name}(self, *args, **kw): ...\n" for name in members)
    lacking = (
        "from wardboard.scoring.benchmark import Benchmark\n"
        "class Wards(Benchmark):\n    slug = title = scorer_version = 'wards'\n"
        f"    def schemas(self): return {{}}\n{methods}"
    )
    faults = {**_FAULTS, "lacking": (lacking, "it lacks limits, metrics, about, reasons, missing.")}
    for number, (source, _) in enumerate(faults.values()):
        install(site, source, f"wards{number:02}")
    checked = wardboard("validate", demo.GOOD, "--tasks", demo.TASKS, on_path=site, cwd=tmp_path)
    assert checked.returncode == 0
    warnings = checked.stderr.splitlines()
    assert len(warnings) == len(faults)
    for number, (name, (_, fault)) in enumerate(faults.items()):
        words = f"The benchmark plugin wards{number:02} of wards{number:02}-rounds 1.0 is left out: "
        (warning,) = [line for line in warnings if words in line]
        assert fault in warning, name
    asked = wardboard("quota", "--help", on_path=site, cwd=tmp_path)
    assert (asked.returncode, asked.stderr) == (0, ""), "commands of the service do not speak of plugins"


def test_the_service_names_it_in_a_check_and_goes_on(site, tmp_path):
    install(site, "import no_such_library")
    variables = {"DJANGO_SETTINGS_MODULE": "leaderboard.settings", "WARDBOARD_DATA": str(tmp_path)}
    env = environment(site, **variables, SECRET_KEY="x" * 9, DEBUG="1")
    checked = processes.run(ROOT / "manage.py", "check", env=env, cwd=tmp_path)
    assert checked.returncode == 0
    assert "(wardboard.W002) The benchmark plugin wards of wards-rounds 1.0 is left out" in checked.stderr
    assert "HINT: Update or uninstall its distribution." in checked.stderr
