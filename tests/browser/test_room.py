"""Long names, narrow screens, zoom and paper: nothing is cut off, out of view or covered."""

import pytest

from leaderboard.models import Board
from leaderboard.services.statistics.compute import compute_statistics
from tests.support.factories import User, make_published, make_user, with_wrong

BOARD = "/benchmarks/medagentbench-demo/"
# A computer and a phone, and a screen of 1280 x 1024 at 200% and at 400%, as WCAG 1.4.10 measures it.
SCREENS = ((1280, 844), (390, 844), (640, 512), (320, 256))
# A4, landscape, without its margins.
PAPER = {"width": 1032, "height": 703}
LONG = "Averyveryverylongname" * 5 + "withoutanyspace"


@pytest.fixture
def long_keys(board, good_file):
    """Fill a board with a long title and the longest names, organisations and models."""
    title = "A benchmark with a title that goes on and on, in three editions"
    Board.objects.filter(pk=board.pk).update(title=title)
    user = make_user()
    facts = {"organisation": "O" * 118, "models": [f"model-{n}-{'x' * 40}" for n in range(8)]}
    submissions = [
        make_published(user, board, good_file, system=LONG, **facts),
        make_published(user, board, with_wrong(good_file, 3), system="系統名稱" * 29),
        make_published(user, board, with_wrong(good_file, 6), system="Short"),
    ]
    return [submission.system_id for submission in submissions]


def test_long_names_make_no_page_wider_than_the_screen_nor_does_zoom(long_keys, open_page):
    query = "&".join(f"system={system}" for system in long_keys)
    views = [f"{BOARD}views/{name}/" for name in ("progress", "forest", "by-task-type", "approach-by-model")]
    pages = [
        "/",
        "/zh-hant/",
        BOARD,
        f"{BOARD}about/",
        *views,
        f"{BOARD}changes/",
        f"{BOARD}compare/?{query}",
    ]
    pages += [f"/systems/{long_keys[0]}/", f"/embed{BOARD.removeprefix('/benchmarks')}", "/submit/"]
    pages += ["/docs/submitters/", "/about/", "/accounts/signup/"]
    page, too_wide = open_page(), {}
    for path in pages:
        page.goto(path)
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            if (excess := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
                too_wide[path, width] = excess
    assert too_wide == {}


@pytest.mark.parametrize("language", ["", "/zh-hant"])
def test_the_header_is_one_line_in_line_with_the_content_at_every_width(board, open_page, sign_in, language):
    page = open_page()
    sign_in(page)
    # Staff have one link more than others.
    User.objects.update(is_staff=True)
    page.goto(f"{language}/about/")
    for width in (320, 390, 600, 768, 991, 992, 1024, 1280, 1409, 1600, 1920, 2560):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.locator(".bar").bounding_box()["height"] <= 50
        left = page.locator(".bar .home").bounding_box()["x"]
        assert left == page.get_by_role("heading", level=1).bounding_box()["x"]
        assert left == page.locator(".foot p").first.bounding_box()["x"]
        edges = page.locator(".bar :is(a, summary):visible").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().right)"
        )
        # The button of the menu is larger than its picture, which is what is aligned.
        assert width - left <= max(edges) + 1 <= width - left + 13
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("has_script", [True, False])
def test_the_menu_of_a_phone_holds_the_whole_navigation(board, open_page, sign_in, has_script):
    page = open_page(viewport={"width": 390, "height": 844}, java_script_enabled=has_script)
    sign_in(page)
    button = page.locator(".site-menu > summary")
    assert not page.locator(".bar").get_by_text("Submit", exact=True).is_visible()
    button.click()
    page.locator(".bar summary", has_text="Account").click()
    page.locator(".bar summary", has_text="Leaderboards").click()
    boards = page.get_by_role("navigation", name="Leaderboards and information")
    assert boards.get_by_role("link", name=board.title).is_visible()
    if has_script:
        # Esc closes the inner menu, then the outer one, and the focus stays on what was closed.
        for summary in (page.locator(".bar summary", has_text="Leaderboards"), button):
            page.keyboard.press("Escape")
            assert summary.evaluate("one => one === document.activeElement && !one.parentElement.open")
        button.click()
        page.get_by_role("heading", level=1).click()
        assert not button.evaluate("one => one.parentElement.open")
        button.click()
    # One menu at a time is open.
    page.locator(".bar summary", has_text="Account").click()
    assert not boards.get_by_role("link", name=board.title).is_visible()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", level=1).wait_for()
    assert page.locator(".bar").get_by_text("Sign out").count() == 0


def test_a_printed_leaderboard_has_its_figures_and_its_address_and_no_controls(
    board, user, good_file, open_page
):
    names = {"Ward round": 1, "A system whose name is rather long, second generation": 3, "Night shift": 30}
    for name, wrong in names.items():
        make_published(user, board, with_wrong(good_file, wrong), system=name)
    compute_statistics(board_id=board.pk)
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
