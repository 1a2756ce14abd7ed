"""Corrected rates: by hand, at their limits, and by simulation of what their intervals cover."""

import numpy
import pytest

from wardboard.scoring.statistics.misclassification import (
    LEAST_YOUDEN,
    JudgeErrorCounts,
    corrected_rate,
    effective_total,
)
from wardboard.scoring.statistics.rates import wilson_interval


def errors(both_right=90, false_rejects=10, false_accepts=20, both_wrong=80) -> JudgeErrorCounts:
    return JudgeErrorCounts(
        both_right=both_right,
        false_rejects=false_rejects,
        false_accepts=false_accepts,
        both_wrong=both_wrong,
    )


def test_the_estimate_is_rogan_and_gladen_s_by_hand():
    # se .9, sp .8: (0.48 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.28 / 0.7
    assert corrected_rate(0.48, 1000, errors()).rate == pytest.approx(0.4)


def test_the_interval_is_lang_and_reiczigel_s_by_hand():
    # z = 2: n' = 104, p' = 52/104 = 1/2; se' = 91/102, sp' = 81/102, se' + sp' - 1 = 70/102;
    # prevalence = (1/2 + 81/102 - 1) / (70/102) = 30/70.
    # v_se = 91*11/102^3 = 0.000943271, v_sp = 81*21/102^3 = 0.001602900.
    # shift = 8 * (3/7 * 0.000943271 - 4/7 * 0.001602900) = -0.004093373
    # variance = 0.25/104 + 9/49 * 0.000943271 + 16/49 * 0.001602900 = 0.003100491
    # half = 2 * sqrt(0.003100491) * 102/70 = 0.162273594
    corrected = corrected_rate(0.5, 100, errors(), z=2.0)
    assert corrected.low == pytest.approx(3 / 7 - 0.004093373 - 0.162273594, abs=2e-6)
    assert corrected.high == pytest.approx(3 / 7 - 0.004093373 + 0.162273594, abs=2e-6)


def test_a_judge_without_errors_changes_nothing_and_many_labels_leave_the_interval_of_the_rate():
    perfect = errors(10**7, 0, 0, 10**7)
    corrected = corrected_rate(0.3, 400, perfect)
    assert corrected.rate == pytest.approx(0.3)
    low, high = wilson_interval(120, 400)
    assert (corrected.low, corrected.high) == (pytest.approx(low, abs=2e-3), pytest.approx(high, abs=2e-3))


def test_a_corrected_interval_is_wider_than_that_of_the_rate_and_narrows_with_labels():
    low, high = wilson_interval(240, 400)
    few, many = corrected_rate(0.6, 400, errors()), corrected_rate(0.6, 400, errors(9000, 1000, 2000, 8000))
    assert few.high - few.low > many.high - many.low > high - low


def test_a_corrected_interval_never_leaves_the_scale_and_holds_its_estimate():
    for rate in (0, 0.05, 0.19, 0.2, 0.5, 0.9, 0.95, 1):
        corrected = corrected_rate(rate, 60, errors())
        assert 0 <= corrected.low <= corrected.rate <= corrected.high <= 1


@pytest.mark.parametrize(
    "known",
    [
        errors(60, 40, 40, 60),  # se + sp - 1 = .2
        errors(74, 26, 25, 75),  # .49
        errors(19, 0, 0, 100),
        errors(100, 0, 0, 19),
        errors(0, 0, 10, 90),
        errors(10, 90, 90, 10),  # worse than chance
    ],
)
def test_nothing_is_said_where_too_little_is_known_of_the_judge(known):
    assert corrected_rate(0.5, 300, known) is None


def test_the_limit_is_of_the_observed_rates_too():
    assert errors(76, 24, 24, 76).sensitivity + 0.76 - 1 > LEAST_YOUDEN
    assert corrected_rate(0.5, 300, errors(76, 24, 24, 76)) is not None


@pytest.mark.parametrize(("rate", "total"), [(-0.1, 10), (1.1, 10), (0.5, 0)])
def test_what_is_not_a_rate_is_refused(rate, total):
    with pytest.raises(ValueError, match="not a rate"):
        corrected_rate(rate, total, errors())
    with pytest.raises(ValueError, match="0 or more"):
        errors(-1)


def test_clusters_count_as_fewer_tasks():
    assert effective_total(0.5, 400, (0.4510, 0.5490)) == pytest.approx(400, rel=1e-3)
    assert effective_total(0.5, 400, (0.4020, 0.5980)) == pytest.approx(100, rel=1e-3)
    assert effective_total(0.5, 400, (0.49, 0.51)) == 400
    assert effective_total(1.0, 400, (0.9, 1.0)) == 400


@pytest.mark.parametrize(
    ("prevalence", "se", "sp", "total", "right", "wrong"),
    [
        (0.3, 0.95, 0.98, 2931, 200, 300),
        (0.6, 0.90, 0.90, 300, 100, 100),
        (0.1, 0.85, 0.95, 1000, 40, 200),
        (0.9, 0.90, 0.85, 300, 200, 40),
        (0.5, 0.99, 0.99, 300, 50, 50),
        (0.02, 0.90, 0.97, 300, 50, 150),
    ],
)
def test_the_interval_covers_the_truth_in_95_of_100_simulated_boards(prevalence, se, sp, total, right, wrong):
    generator = numpy.random.default_rng(17)
    judged = prevalence * se + (1 - prevalence) * (1 - sp)
    boards, covered = 2_000, 0
    for _ in range(boards):
        both_right = generator.binomial(right, se)
        both_wrong = generator.binomial(wrong, sp)
        known = errors(both_right, right - both_right, wrong - both_wrong, both_wrong)
        corrected = corrected_rate(generator.binomial(total, judged) / total, total, known)
        covered += corrected is not None and corrected.low <= prevalence <= corrected.high
    # 2,000 boards: the standard error of a coverage of .95 is .005.
    assert covered / boards >= 0.94
