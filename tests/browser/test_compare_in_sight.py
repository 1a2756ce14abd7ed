"""What of a comparison is on the first screen, measured in Chromium."""

import pytest

from leaderboard.models import Board, Feedback
from tests.support import factories
from tests.support.pages.browser import words_in_sight
from tests.support.rows import raise_revision

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
    for compared in (systems[:2], [systems[0], systems[2]], systems[1:]):
        page.goto(address_of(board, compared, language))
        last = page.locator(".answers li").last if len(compared) > 2 else page.locator("h1")
        box = last.bounding_box()
        assert box["y"] + box["height"] < (400 if width > 600 else height)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # The picture comes next, and what it takes to understand it is folded.
        picture, scores = page.locator("figure.chart").bounding_box(), page.locator(".sides").bounding_box()
        assert box["y"] < picture["y"] < scores["y"] < page.locator("details.fold").first.bounding_box()["y"]
        assert page.locator("details.fold[open]").count() == 0


def test_two_thirds_of_the_words_of_before_are_in_sight(board, systems, open_page):
    page = open_page(viewport={"width": 1280, "height": 800})
    for level in (Feedback.BY_TASK, Feedback.OVERALL):
        Board.objects.update(feedback=level)
        raise_revision(board)
        page.goto(address_of(board, systems[2:]))
        # There were 139 before.
        assert words_in_sight(page) <= 93


def test_the_forest_is_a_part_of_the_page_whose_marks_have_their_figures(board, systems, open_page):
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto(address_of(board, [systems[0], systems[2]]))
    page.locator("figure.chart > svg").wait_for()
    labels = page.locator("figure.chart [role='graphics-symbol'], figure.chart [role='img']")
    texts = [label for label in labels.evaluate_all("all => all.map(one => one.ariaLabel)") if label]
    assert any("All tasks" in text and "Significant" in text for text in texts)
    page.emulate_media(color_scheme="dark")
    page.get_by_text("Compare others").click()
    page.get_by_label("Look for another system").fill("Tri")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_label("Triage").check()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("heading", name="pairs differ significantly").wait_for()
    assert page.locator(".answers li").count() == 3
