"""Rates as they were published."""

from decimal import Decimal

import pytest

from wardboard.scoring.reported import is_printed_as, rate_of, read_groups
from wardboard.scoring.verdicts import Rate, Share


def test_a_count_ties_with_the_same_count_rescored():
    assert rate_of(percent=Decimal("69.67"), correct=209, tasks=300) == Rate(right=209, total=300)


def test_a_figure_without_a_count_is_taken_as_printed():
    assert rate_of(percent=Decimal("50.04"), correct=None, tasks=2931) == Share(rate=0.5004, total=2931)


def test_a_count_may_be_printed_with_fewer_digits():
    assert is_printed_as(209, 300, Decimal(70))
    assert is_printed_as(209, 300, Decimal("69.7"))


@pytest.mark.parametrize("percent", ["69.66", "69.5", "100"])
def test_a_count_that_is_not_printed_so_is_refused(percent):
    with pytest.raises(ValueError, match="is not printed as"):
        rate_of(percent=Decimal(percent), correct=209, tasks=300)


@pytest.mark.parametrize(("correct", "tasks"), [(301, 300), (-1, 300), (0, 0)])
def test_a_count_beyond_its_tasks_is_refused(correct, tasks):
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
