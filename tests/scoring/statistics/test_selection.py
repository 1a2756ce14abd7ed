"""What choosing the best of equal runs gains by chance."""

from statistics import fmean

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from tests.support.shared_data import FHIR_AGENTBENCH, needs_shared
from wardboard.scoring.statistics.selection import OBSERVED_FLIPS, gain_of_best


def test_the_gain_is_that_of_the_largest_of_normal_values():
    assert gain_of_best(1, 300) == pytest.approx(0, abs=1e-9)
    # 1 / sqrt(pi) of a standard deviation; with these numbers the deviation is 1 point.
    assert gain_of_best(2, 50, flips=0.01) == pytest.approx(0.01 / np.sqrt(np.pi))
    assert gain_of_best(20, 300) == pytest.approx(0.019, abs=0.0005)


@given(st.integers(1, 2_000), st.integers(1, 5_000), st.floats(0, 1))
def test_more_files_never_gain_less(files, tasks, flips):
    assert gain_of_best(files, tasks, flips=flips) + 1e-12 >= 0
    assert gain_of_best(files, tasks, flips=flips) <= gain_of_best(files + 1, tasks, flips=flips) + 1e-12


def test_numbers_out_of_range_are_refused():
    for files, tasks, flips in ((0, 10, 0.1), (1, 0, 0.1), (1, 1, -0.1), (1, 1, 1.1)):
        with pytest.raises(ValueError, match="give no gain"):
            gain_of_best(files, tasks, flips=flips)


@needs_shared
def test_the_observed_share_of_flips_is_that_of_the_two_published_runs():
    rows = (FHIR_AGENTBENCH / "real_runs.csv").read_text().splitlines()[1:]
    pairs = [row.split(",")[2:] for row in rows]
    assert fmean(first != second for first, second in pairs) == pytest.approx(OBSERVED_FLIPS, abs=0.0005)
