"""Pages enlarged two and four times, and a leaderboard on paper."""

import pytest

from leaderboard.services.statistics.compute import compute_statistics
from tests.support import factories
from tests.support.reported import state

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


_IS_IN_SIGHT = """() => {
    const box = document.activeElement.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return document.activeElement.contains(top);
}"""


def test_the_links_that_sort_are_in_sight_on_a_phone_while_the_keyboard_is_on_them(three, open_page):
    page = open_page(viewport={"width": 390, "height": 800})
    page.goto(BOARD)
    head = page.locator("#table thead")
    assert head.bounding_box()["height"] <= 1
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "sort-system":
            break
    assert page.evaluate(_IS_IN_SIGHT)
    with page.expect_response(lambda response: "sort=system" in response.url):
        page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'sort-system'")
    assert page.evaluate(_IS_IN_SIGHT)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_each_tab_of_a_leaderboard_is_in_sight_on_a_phone_while_the_keyboard_is_on_it(board, open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto(BOARD)
    page.locator(".tabs a").first.focus()
    hidden = []
    for tab in page.locator(".tabs a").all_inner_texts():
        if not page.evaluate(_IS_IN_SIGHT):
            hidden.append(tab)
        page.keyboard.press("Tab")
    assert hidden == []


def test_no_page_scrolls_sideways_when_it_is_enlarged_two_and_four_times(board, three, open_page):
    query = "&".join(f"system={system}" for system in three)
    views = [f"{BOARD}views/{name}/" for name in ("forest", "by-task-type")]
    boards = [BOARD, f"{BOARD}?columns=interval,date,models", f"{BOARD}about/"]
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


@pytest.mark.parametrize("screen", ZOOMED)
def test_rank_name_and_score_are_on_an_enlarged_screen_together(board, three, open_page, screen):
    width, height = screen
    page = open_page(viewport={"width": width, "height": height})
    page.goto(BOARD)
    rows = page.locator("#table tbody tr:not(.divider)").all()
    assert len(rows) >= 3
    for row in rows:
        for part in (".rank", ".name", ".score"):
            box = row.locator(part).bounding_box()
            assert box["x"] >= 0
            assert box["width"] > 20
            assert box["x"] + box["width"] <= width


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


def test_a_printed_row_has_its_whole_name_and_its_note(board, user, open_page):
    state(board, user, system="An agent of a rather long name, " * 3, note="A remark of the source. " * 6)
    page = open_page(viewport=PAPER)
    page.goto(BOARD)
    page.emulate_media(media="print")
    assert page.locator("#table .name").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    assert page.locator("#table .note-of-row small").is_visible()


def test_a_chart_of_a_dark_screen_is_printed_in_dark_texts(board, three, open_page):
    page = open_page(viewport=PAPER, color_scheme="dark")
    page.goto(f"{BOARD}views/forest/")
    drawing = page.locator("figure.chart > svg")
    drawing.wait_for()
    assert drawing.evaluate("e => getComputedStyle(e).filter") == "none"
    page.emulate_media(media="print", color_scheme="dark")
    assert "invert(1)" in drawing.evaluate("e => getComputedStyle(e).filter")
