"""How many words the front page and the page for a file show on the first screen."""

from leaderboard.services.statistics.compute import compute_statistics
from tests.support import factories
from tests.support.pages.browser import words_in_sight

NAMES = ("Ward round", "Second opinion", "Charting agent", "Corridor", "Triage", "Night shift")


def test_two_thirds_of_the_words_of_before_are_in_sight(board, user, good_file, open_page):
    for slug in ("first", "second"):
        real = factories.make_demo(slug=slug, title=f"{slug} board".title(), is_demo=False)
        for wrong, name in enumerate(NAMES):
            factories.make_published(user, real, factories.with_wrong(good_file, wrong), system=name)
        compute_statistics(board_id=real.pk)
    page = open_page(viewport={"width": 1280, "height": 800})
    # There were 265 on the front page before, and 170 on the page for a file.
    for address, most in (("/", 177), ("/submit/", 113)):
        page.goto(address)
        assert words_in_sight(page) <= most, address
    page.goto("/")
    assert page.locator("svg.interval").count() == 10
