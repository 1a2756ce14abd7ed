"""How much scores differ by model and harness, against statsmodels."""

import numpy as np
import pytest

from leaderboard.services.charts.effects import estimate_effects

REACH = 1.959964 * 0.026  # from a score to the ends of its interval


def simulate(models, harnesses, *, every=1):
    """Return rows of a board that has every n-th pair of a model and a harness."""
    draw = np.random.default_rng(4).normal
    of_models, of_harnesses = draw(0, 0.2, models), draw(0, 0.1, harnesses)
    scores = 0.5 + of_models[:, None] + of_harnesses + draw(0, 0.05, (models, harnesses))
    rows = [
        (score, score - REACH, score + REACH, f"m{m}", f"h{h}") for (m, h), score in np.ndenumerate(scores)
    ]
    return rows[::every]


def test_the_estimate_is_that_of_statsmodels_with_the_sampling_taken_out_of_the_rest():
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    rows = simulate(12, 7, every=3)
    frame = pd.DataFrame(rows, columns=["score", "low", "high", "model", "harness"])
    parts = {"model": "0 + C(model)", "harness": "0 + C(harness)"}
    fitted = MixedLM.from_formula("score ~ 1", frame, groups=np.ones(len(rows)), vc_formula=parts).fit()
    effects = estimate_effects(rows)
    assert (effects.between_harnesses, effects.between_models) == pytest.approx(
        100 * np.sqrt(fitted.vcomp), rel=0.01
    )
    assert np.hypot(effects.rest, effects.sampling) == pytest.approx(100 * np.sqrt(fitted.scale), rel=0.01)
    assert effects.sampling == pytest.approx(2.6)
    assert (effects.rows, effects.models, effects.harnesses) == (28, 12, 7)


def test_an_estimate_at_its_lower_end_is_none_and_not_0():
    rows = [(0.5 + m / 20, 0.4 + m / 20, 0.6 + m / 20, f"m{m}", f"h{h}") for m in range(4) for h in range(3)]
    effects = estimate_effects(rows)
    assert (effects.between_models > 5, effects.between_harnesses, effects.rest) == (True, None, None)


@pytest.mark.parametrize(("models", "harnesses"), [(0, 0), (9, 1), (9, 2), (2, 9), (15, 15)])
def test_too_few_models_or_harnesses_and_too_many_rows_give_none(models, harnesses):
    assert estimate_effects(simulate(models, harnesses)) is None
