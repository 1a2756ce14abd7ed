"""Rates as they were published."""

from decimal import Decimal

import pytest

from wardboard.scoring.reported import rate_of, read_groups
from wardboard.scoring.verdicts import Rate, Share


def test_a_rate_is_of_its_count_or_as_printed_and_a_count_has_to_fit():
    assert rate_of(percent=Decimal("69.67"), correct=209, tasks=300) == Rate(right=209, total=300)
    assert rate_of(percent=Decimal("50.04"), correct=None, tasks=2931) == Share(rate=0.5004, total=2931)
    for percent in ("70", "69.7"):
        assert rate_of(percent=Decimal(percent), correct=209, tasks=300).right == 209
    for percent in ("69.66", "69.5", "100"):
        with pytest.raises(ValueError, match="is not printed as"):
            rate_of(percent=Decimal(percent), correct=209, tasks=300)
    for correct, tasks in ((301, 300), (-1, 300), (0, 0)):
        with pytest.raises(ValueError, match="is no count"):
            rate_of(percent=None, correct=correct, tasks=tasks)


def test_a_row_has_what_its_group_states_unless_it_states_something_else():
    group = {
        "source": "S",
        "source_url": "https://example.org/",
        "tasks": 10,
        "note": "of all",
        "rows": [
            {"system": "a", "correct": 5, "metrics": {"m": [1, 4]}},
            {"system": "b", "score": Decimal("12.5"), "note": "of this", "not_ranked": "why"},
        ],
    }
    first, second = read_groups([group], ranked="rate", metrics=("rate", "m"))
    assert (first.overall, first.metrics, first.note) == (
        Rate(right=5, total=10),
        {"rate": 0.5, "m": 0.25},
        "of all",
    )
    assert (second.metrics, second.note, second.not_ranked) == ({"rate": 0.125, "m": None}, "of this", "why")
