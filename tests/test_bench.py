"""The scripts of bench/ import the right modules when they are run by `make bench`."""

import json
import subprocess
import sys
from importlib import import_module

import pytest

from tests.support.paths import ROOT

BENCH = ROOT / "bench"
SCRIPTS = sorted(path.name for path in BENCH.glob("*.py") if "django.setup()" in path.read_text())
assert len(SCRIPTS) > 2


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_bench_imports_the_service_and_not_the_bench_of_the_same_name(script):
    # The folder of the script comes first, as when Python runs a script.
    program = (
        "import runpy, sys\n"
        f"sys.path.insert(0, {str(BENCH)!r})\n"
        f"runpy.run_path({str(BENCH / script)!r}, run_name='bench')\n"
        "import leaderboard\n"
        "assert hasattr(leaderboard, '__path__'), leaderboard"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], cwd=BENCH, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize("addresses", [1, 3])
def test_each_file_of_an_attack_teaches_one_value_and_an_address_has_as_many_as_two_accounts(
    db, monkeypatch, addresses
):
    # Last: a script there would hide the package of the same name.
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCH)])
    play, world_of = import_module("_attack_play"), import_module("_attack_world")
    world = world_of.make_world("attacked", {})
    accounts = [world_of.make_account(world, n, addresses, approved=False) for n in range(3)]
    learnt = play.Attack(world, block=1, published=0, planned=None).run(accounts, days=1)
    assert learnt.files == learnt.values == (6 if addresses == 1 else 9)


def test_the_claims_of_small_boards_hold_about_as_often_as_they_say():
    # Twenty boards of each kind: enough to notice a claim that is wrong, not to measure one.
    command = [sys.executable, BENCH / "coverage.py", "--quick"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    figures = json.loads(process.stdout.splitlines()[-1])
    assert figures["coverage_min"] > 0.8
    assert figures["false_dividers"] < 0.25
    assert figures["false_dividers_clustered"] < 0.35
    assert figures["type1_max"] < 0.09
    assert figures["false_dividers_open"] < 0.2
    assert figures["claims_overturned"] == 0
    assert figures["rate_coverage_min"] > 0.85
    assert figures["seconds_1000"] < 60
    assert figures["peak_mb"] < 1000
