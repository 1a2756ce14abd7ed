"""Formats of what people read."""

import pytest
from django.utils import translation

from leaderboard.services.text import file_size, percent
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


@pytest.mark.parametrize("total", [80, 300, 320, 2931])
def test_a_page_prints_the_digits_that_files_and_the_api_have(total):
    for right in range(total + 1):
        assert percent(right / total) == f"{100 * round_figure(right / total):.1f}%"
