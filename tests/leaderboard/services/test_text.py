"""Formats of what people read."""

from datetime import UTC, datetime

from django.utils import translation

from leaderboard.services.text import end_of_wait, file_size, is_readable, join_with_and, percent, read_key
from leaderboard.services.visibility import round_figure


def test_a_size_has_no_decimal_that_is_zero():
    for size, text in (
        (32 * 1024**2, "32 MB"),
        (1024**3, "1 GB"),
        (4.5 * 1024**2, "4.5 MB"),
        (1024 * 20.04, "20 KB"),
        (1024 * 100.06, "100.1 KB"),
    ):
        for language in ("en", "zh-hant"):
            with translation.override(language):
                assert file_size(size).replace("\xa0", " ") == text


def test_a_wait_ends_at_the_next_whole_minute():
    now = datetime(2026, 11, 26, 23, 59, 1, tzinfo=UTC)
    assert end_of_wait(1, now) == "27 Nov, 00:00 UTC"
    assert end_of_wait(10_800, now) == "27 Nov, 03:00 UTC"


def test_a_page_prints_the_digits_that_files_and_the_api_have():
    for total in (80, 300, 320, 2931):
        for right in range(total + 1):
            assert percent(right / total) == f"{100 * round_figure(right / total):.1f}%"


def test_the_last_name_of_a_list_is_joined_by_and():
    names = ["a", "b", "c"]
    assert [join_with_and(names[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_a_name_is_readable_that_can_be_seen_and_hides_nothing():
    for name in ("A", "臨床助理", "مساعد", "👩🏽‍⚕️", "a b", "%"):
        assert is_readable(name), name
    for name in ("", " ", "\u3164", "\u2800", "a\u202eb", "a\x00", "a\nb", "\ue000", "\u200b"):
        assert not is_readable(name), name


def test_only_digits_that_fit_a_column_are_a_key():
    keys = {"7": 7, "9" * 18: 10**18 - 1, "9" * 19: 0, "": 0, "-1": 0, "1.0": 0, "٣": 0, "²": 0}
    assert {text: read_key(text) for text in keys} == keys
