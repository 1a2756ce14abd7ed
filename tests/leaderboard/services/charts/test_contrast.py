"""Text in cells is legible on every colour that a cell can have. Source: WCAG 2.2, 1.4.3."""

import pytest

from leaderboard.services.charts.look import look_of


def channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def luminance(colour: list[int]) -> float:
    parts = [part / 255 for part in colour]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: list[int], other: list[int]) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def cell(share: float, look) -> list[int]:
    ends = zip(channels(look.none), channels(look.full), strict=True)
    return [round(none + share * (full - none)) for none, full in ends]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_figure_in_a_cell_has_enough_contrast(scheme):
    look = look_of(scheme=scheme, width="wide")
    for thousandths in range(1001):
        share = thousandths / 1000
        # The same colour in every cell, so that it never changes between neighbours.
        assert contrast(cell(share, look), channels(look.ink)) >= 4.5, share
