"""Formats of what people read."""

from datetime import UTC, datetime

from leaderboard.services.text import end_of_wait, is_readable, percent, read_key
from leaderboard.services.visibility import round_figure


def test_a_wait_ends_at_the_next_whole_minute():
    now = datetime(2026, 11, 26, 23, 59, 1, tzinfo=UTC)
    assert end_of_wait(1, now) == "27 Nov, 00:00 UTC"
    assert end_of_wait(10_800, now) == "27 Nov, 03:00 UTC"


def test_a_page_prints_the_digits_that_files_and_the_api_have():
    for total in (80, 300, 320, 2931):
        for right in range(total + 1):
            assert percent(right / total) == f"{100 * round_figure(right / total):.1f}%"


def test_a_name_is_readable_that_can_be_seen_and_hides_nothing():
    for name in ("A", "臨床助理", "مساعد", "👩🏽‍⚕️", "a b", "%"):
        assert is_readable(name), name
    for name in ("", " ", "\u3164", "\u2800", "a\u202eb", "a\x00", "a\nb", "\ue000", "\u200b"):
        assert not is_readable(name), name


def test_only_digits_that_fit_a_column_are_a_key():
    keys = {"7": 7, "9" * 18: 10**18 - 1, "9" * 19: 0, "": 0, "-1": 0, "1.0": 0, "٣": 0, "²": 0}
    assert {text: read_key(text) for text in keys} == keys
