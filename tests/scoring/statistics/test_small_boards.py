"""How often the claims about small leaderboards hold, by the bench that simulates them."""

import json
import subprocess
import sys

import pytest

from tests.support.paths import ROOT


@pytest.mark.long
def test_the_claims_of_small_boards_hold_about_as_often_as_they_say():
    # Twenty boards of each kind: enough to notice a claim that is wrong, not to measure one.
    command = [sys.executable, ROOT / "bench" / "coverage.py", "--quick"]
    process = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    figures = json.loads(process.stdout.splitlines()[-1])
    assert figures["coverage_min"] > 0.8
    assert figures["false_dividers"] < 0.25
    assert figures["false_dividers_clustered"] < 0.35
    assert figures["type1_max"] < 0.09
    assert figures["level_max"] < 0.2
    assert figures["range_coverage_min"] > 0.8
    assert figures["false_dividers_open"] < 0.2
    assert figures["claims_overturned"] == 0
    assert figures["rate_coverage_min"] > 0.85
    assert figures["type1_unequal_runs"] < 0.15 < figures["type1_t_alone"]
    assert figures["type1_groups"] < 0.12
    assert figures["published_coverage_min"] > 0.8
    assert figures["false_claim_ever_spent"] < 0.3
    assert abs(figures["season_gain_points"]) < 0.8 < figures["walking_gain_points"]
    assert figures["detectable_power_min"] > 0.5
