"""The scripts of bench/ that set up the service: what they find when run as `make bench` runs them."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT

BENCH = ROOT / "bench"
SCRIPTS = sorted(path.name for path in BENCH.glob("*.py") if "django.setup()" in path.read_text())


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_bench_finds_the_service_and_not_the_bench_of_its_name(script):
    # As Python does for a script: its folder comes first.
    told = (
        "import runpy, sys\n"
        f"sys.path.insert(0, {str(BENCH)!r})\n"
        f"runpy.run_path({str(BENCH / script)!r}, run_name='bench')\n"
        "import leaderboard\n"
        "assert hasattr(leaderboard, '__path__'), leaderboard"
    )
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=BENCH, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
