"""Formats of what people read."""

import pytest
from django.core.exceptions import ValidationError

from leaderboard.services.text import percent_range, read_key, validate_readable


def test_a_name_is_readable_that_can_be_seen_and_hides_nothing():
    for name in ("A", "臨床助理", "مساعد", "👩🏽‍⚕️", "a b", "%"):
        validate_readable(name)
    for name in ("", " ", "\u3164", "\u2800", "a\u202eb", "a\x00", "a\nb", "\ue000", "\u200b"):
        with pytest.raises(ValidationError):
            validate_readable(name)


def test_only_digits_that_fit_a_column_are_a_key():
    keys = {"7": 7, "9" * 18: 10**18 - 1, "9" * 19: 0, "": 0, "-1": 0, "1.0": 0, "٣": 0, "²": 0}
    assert {text: read_key(text) for text in keys} == keys


def test_a_range_whose_ends_are_printed_alike_is_one_number():
    assert [percent_range(11 / 60, high) for high in (None, 11 / 60, 12 / 60)] == [
        "18.3%",
        "18.3%",
        "18.3–20.0%",
    ]
