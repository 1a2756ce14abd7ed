"""Pages enlarged two and four times, and a leaderboard on paper."""

import pytest

from leaderboard.services.statistics.compute import compute_statistics
from tests.support import factories

BOARD = "/benchmarks/medagentbench-demo/"
# A screen of 1280 x 1024 at 200% and at 400%, as WCAG 1.4.10 measures it.
ZOOMED = ((640, 512), (320, 256))
# A4, landscape, without its margins.
PAPER = {"width": 1032, "height": 703}


@pytest.fixture
def three(board, user, good_file):
    """Publish three systems, one of them with a long name, and return their keys."""
    names = {"Ward round": 1, "A system whose name is rather long, second generation": 3, "Night shift": 30}
    published = [
        factories.make_published(user, board, factories.with_wrong(good_file, wrong), system=name)
        for name, wrong in names.items()
    ]
    compute_statistics(board_id=board.pk)
    return [submission.system_id for submission in published]


def test_no_page_scrolls_sideways_when_it_is_enlarged_two_and_four_times(board, three, open_page):
    query = "&".join(f"system={system}" for system in three)
    views = [f"{BOARD}views/{name}/" for name in ("forest", "by-task-type")]
    boards = [BOARD, f"{BOARD}about/"]
    texts = ["/docs/submitters/", "/about/", "/accounts/signup/"]
    compared = [f"{BOARD}compare/?{query}", f"/systems/{three[1]}/"]
    page, too_wide = open_page(), {}
    for path in ["/", "/zh-hant/", *boards, *views, *compared, "/submit/", *texts]:
        page.goto(path)
        for width, height in ZOOMED:
            page.set_viewport_size({"width": width, "height": height})
            if (excess := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
                too_wide[path, width] = excess
    assert too_wide == {}


def test_a_printed_leaderboard_has_its_figures_and_its_address_and_no_controls(board, three, open_page):
    page = open_page(viewport=PAPER)
    page.goto(BOARD)
    page.emulate_media(media="print")
    for control in (".bar .site-menu", ".board-bar", ".filters", "#compare", "td.pick", ".foot"):
        assert not page.locator(control).first.is_visible(), control
    for kept in ("h1", ".finding", ".provenance", "#table thead", "tr.divider", "svg.whisker", "td.score"):
        assert page.locator(kept).first.is_visible(), kept
    assert f"{BOARD}?as_of=" in page.locator(".print-only").inner_text()
    table = page.locator("#table")
    assert table.evaluate("box => box.scrollWidth - box.clientWidth") <= 0
    # The head is repeated on each sheet of paper, and no row is cut in two.
    assert table.locator("thead").evaluate("e => getComputedStyle(e).display") == "table-header-group"
    assert table.locator("tbody tr").last.evaluate("e => getComputedStyle(e).breakInside") == "avoid"
