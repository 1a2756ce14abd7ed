"""What of a comparison is on the first screen, measured in Chromium."""

import pytest

from tests.support import factories

SCREENS = ((1280, 800), (390, 844))
NAMES = (
    "Ward round agent, second generation",
    "Charting agent with a rather long name",
    "Corridor",
    "Triage",
)


@pytest.fixture
def systems(board, user, good_file):
    """Publish four systems, and return their keys; the third is far behind, and the fourth near it."""
    return [
        factories.make_published(user, board, factories.with_wrong(good_file, wrong), system=name).system_id
        for name, wrong in zip(NAMES, (0, 2, 30, 32), strict=True)
    ]


def address_of(board, systems, language: str = "") -> str:
    chosen = "&".join(f"system={system}" for system in systems)
    return f"{language}/benchmarks/{board.slug}/compare/?{chosen}"


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("language", ["", "/zh-hant"])
def test_the_answer_is_above_the_middle_of_the_first_screen(board, systems, open_page, screen, language):
    width, height = screen
    page = open_page(viewport={"width": width, "height": height})
    for compared in (systems[:2], [systems[0], systems[2]]):
        page.goto(address_of(board, compared, language))
        box = page.locator("h1").bounding_box()
        assert box["y"] + box["height"] < (400 if width > 600 else height)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # The differences come next, and what it takes to understand them is folded.
        lines, scores = page.locator("main table").first.bounding_box(), page.locator(".sides").bounding_box()
        assert box["y"] < lines["y"] < scores["y"] < page.locator("details.fold").first.bounding_box()["y"]
        assert page.locator("details.fold[open]").count() == 0
