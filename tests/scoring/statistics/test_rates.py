"""The Wilson interval."""

import subprocess
import sys

import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from wardboard.scoring.statistics import Z_95, wilson_interval
from wardboard.scoring.verdicts import Rate

counts = st.integers(1, 5000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@pytest.mark.parametrize(("right", "low", "high"), [(1, 0.0179, 0.4042), (5, 0.2366, 0.7634)])
def test_the_interval_for_ten_tasks_agrees_with_published_tables(right, low, high):
    assert wilson_interval(right, 10) == pytest.approx((low, high), abs=5e-5)


@given(counts)
def test_each_bound_is_a_rate_that_a_score_test_just_keeps(counts):
    # The definition: the bounds p solve (rate - p)^2 = z^2 p (1 - p) / n.
    right, total = counts
    for bound in wilson_interval(right, total):
        scatter = Z_95**2 * bound * (1 - bound) / total
        assert (right / total - bound) ** 2 == pytest.approx(scatter, rel=1e-6, abs=1e-12)


@given(counts)
def test_the_interval_is_within_0_and_1_and_contains_the_rate(counts):
    right, total = counts
    low, high = wilson_interval(right, total)
    assert 0 <= low <= right / total <= high <= 1
    assert low < high


@given(st.integers(1, 5000))
def test_none_right_and_all_right_mirror_each_other(total):
    low, high = wilson_interval(0, total)
    mirrored_low, mirrored_high = wilson_interval(total, total)
    assert low == 0.0
    assert mirrored_high == 1.0
    assert high == pytest.approx(1 - mirrored_low)


def test_more_tasks_narrow_the_interval():
    few, many = wilson_interval(7, 10), wilson_interval(700, 1000)
    assert few[0] < many[0] < many[1] < few[1]


@pytest.mark.parametrize(("right", "total"), [(-1, 10), (11, 10), (0, 0), (1, -1)])
def test_an_invalid_rate_is_refused(right, total):
    with pytest.raises(ValueError, match="is not a rate"):
        wilson_interval(right, total)


def test_a_rate_over_nothing_is_unknown():
    assert Rate(right=0, total=0).rate is None
    assert Rate(right=0, total=0).interval is None


@given(counts)
def test_the_interval_agrees_with_statsmodels(counts):
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(*counts, method="wilson")
    assert wilson_interval(*counts) == pytest.approx((low, high), abs=1e-12)


def test_the_command_does_not_import_numpy():
    program = (
        "import sys\nfrom wardboard.scoring import statistics, verdicts\nsys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert subprocess.run([sys.executable, "-c", f"import numpy\n{program}"], check=False).returncode == 1
