"""Scales end at round numbers around any values, with few ticks."""

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.services.charts.scales import fit_amounts, fit_log, fit_rates


@given(st.lists(st.floats(0, 1), min_size=1), st.integers(3, 9))
def test_a_scale_of_rates_encloses_them_within_0_and_100_percent(rates, most):
    ends = fit_rates(rates, most=most)
    assert 0 <= ends.low < ends.high <= 1
    assert ends.low - 1e-6 <= min(rates)
    assert max(rates) <= ends.high + 1e-6
    assert len(ends.ticks) <= most + 1


@given(st.lists(st.floats(1e-9, 1e6), min_size=1), st.integers(4, 8))
def test_scales_of_amounts_enclose_them(amounts, most):
    for ends in (fit_amounts(amounts, most=most), fit_log(amounts, most=most)):
        assert ends.low <= min(amounts) * 1.000001
        assert max(amounts) <= ends.high * 1.000001
        assert 2 <= len(ends.ticks) <= most + 1


def test_ticks_are_round():
    assert fit_rates([0.872, 0.937], most=5).ticks == [0.86, 0.88, 0.9, 0.92, 0.94]
    assert fit_rates([0.5]).ticks == [0.5, 0.51]
    assert fit_rates([1.0]).domain == [0.99, 1.0]
    assert fit_amounts([31.0, 2.0]).ticks == [0, 10, 20, 30, 40]
    assert fit_amounts([0.0]).high == 1
    assert fit_log([0.0009, 0.083]).ticks == [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]
