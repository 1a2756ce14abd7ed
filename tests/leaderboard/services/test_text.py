"""Formats of what people read."""

from datetime import UTC, datetime

import pytest
from django.utils import translation

from leaderboard.services.text import end_of_wait, file_size, is_readable, join_with_and, percent, read_key
from leaderboard.services.visibility import round_figure


@pytest.mark.parametrize("language", ["en", "zh-hant"])
@pytest.mark.parametrize(
    ("size", "text"),
    [
        (32 * 1024**2, "32 MB"),
        (1024**3, "1 GB"),
        (10 * 1024**2, "10 MB"),
        (4.5 * 1024**2, "4.5 MB"),
        (1024 * 20.04, "20 KB"),
        (1024 * 100.06, "100.1 KB"),
    ],
)
def test_a_size_has_no_decimal_that_is_zero(size, text, language):
    with translation.override(language):
        assert file_size(size).replace("\xa0", " ") == text


@pytest.mark.parametrize(
    ("seconds", "language", "text"),
    [
        (1, "en", "27 Nov, 00:00 UTC, in 1 minute"),
        (10_800, "en", "27 Nov, 03:00 UTC, in 3 hours"),
        (86_400, "zh-hant", "11 月 28 日 00:00 UTC（1 日後）"),
    ],
)
def test_a_wait_ends_at_the_next_whole_minute(seconds, language, text):
    now = datetime(2026, 11, 26, 23, 59, 1, tzinfo=UTC)
    with translation.override(language):
        assert end_of_wait(seconds, now) == text


@pytest.mark.parametrize("total", [80, 300, 320, 2931])
def test_a_page_prints_the_digits_that_files_and_the_api_have(total):
    for right in range(total + 1):
        assert percent(right / total) == f"{100 * round_figure(right / total):.1f}%"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["patients"], "patients"),
        (["patients", "templates"], "patients and templates"),
        (["a", "b", "c"], "a, b and c"),
    ],
)
def test_the_last_name_of_a_list_is_joined_by_and(names, text):
    assert join_with_and(names) == text


@pytest.mark.parametrize("name", ["A", "臨床助理", "مساعد", "👩🏽‍⚕️", "a b", "%"])
def test_a_name_that_can_be_seen_is_readable(name):
    assert is_readable(name)


@pytest.mark.parametrize(
    "name", ["", " ", "\u3164", "\u2800", "a\u202eb", "a\x00", "a\nb", "\ue000", "\u200b"]
)
def test_a_name_that_is_blank_or_has_a_hidden_character_is_not_readable(name):
    assert not is_readable(name)


@pytest.mark.parametrize(
    ("text", "key"),
    [("7", 7), ("9" * 18, 10**18 - 1), ("9" * 19, 0), ("", 0), ("-1", 0), ("1.0", 0), ("٣", 0), ("²", 0)],
)
def test_only_digits_that_fit_a_column_are_a_key(text, key):
    assert read_key(text) == key
