"""Long names and narrow screens: nothing is cut off, out of view or covered."""

import pytest

from leaderboard.models import Board
from tests.support.factories import User, make_published, make_user, with_wrong

BOARD = "/benchmarks/medagentbench-demo/"
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


@pytest.mark.parametrize("width", [1280, 390])
def test_long_names_make_no_page_wider_than_the_screen(long_keys, open_page, width):
    page = open_page(viewport={"width": width, "height": 844})
    query = "&".join(f"system={system}" for system in long_keys)
    views = [f"{BOARD}views/{name}/" for name in ("progress", "forest", "by-task-type", "approach-by-model")]
    pages = ["/", BOARD, *views, f"{BOARD}changes/", f"{BOARD}compare/?{query}", f"/systems/{long_keys[0]}/"]
    too_wide = {}
    for path in [*pages, f"/embed{BOARD.removeprefix('/benchmarks')}"]:
        page.goto(path)
        if (page_width := page.evaluate("document.documentElement.scrollWidth")) > width:
            too_wide[path] = page_width
    assert too_wide == {}


def test_the_list_of_submissions_shows_every_score_on_a_phone_without_scrolling(
    long_keys, open_page, sign_in
):
    page = open_page(viewport={"width": 390, "height": 844})
    sign_in(page, User.objects.get().email)
    scores = page.get_by_role("cell").filter(has_text="success rate").all()
    assert len(scores) == 3
    boxes = [score.bounding_box() for score in scores]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth)"
    ) == [0]


@pytest.mark.parametrize("width", [390, 760])
def test_the_sticky_column_leaves_room_for_the_figures_of_every_view(long_keys, open_page, width):
    page = open_page(viewport={"width": width, "height": 844})
    page.goto(f"{BOARD}views/forest/")
    views = {link.get_attribute("href") for link in page.locator(f"a[href^='{BOARD}views/by-']").all()}
    # The views by harness and by task have no row a system.
    views -= {f"{BOARD}views/by-harness/", f"{BOARD}views/by-task/"}
    assert len(views) > 2
    for view in views:
        page.goto(view)
        # A phone folds the numbers below the chart.
        if not page.locator("table.board").is_visible():
            page.get_by_text("The same numbers in a table").click()
        box = page.locator(".scroll:has(> table.board)")
        cells = page.locator("table.board tbody tr").first.locator("th, td").all()
        _rank, name_width, *figures = [cell.bounding_box()["width"] for cell in cells]
        assert name_width + max(figures) <= box.bounding_box()["width"], view


def test_an_embedded_table_fills_its_frame(long_keys, open_page):
    page = open_page(viewport={"width": 700, "height": 844})
    page.goto(f"/embed{BOARD.removeprefix('/benchmarks')}")
    box, table = page.locator(".scroll"), page.locator("table.board")
    assert table.bounding_box()["width"] >= box.evaluate("box => box.clientWidth")


def test_a_long_name_does_not_push_figures_off_a_wide_screen(long_keys, open_page):
    page = open_page(viewport={"width": 1280, "height": 844})
    page.goto(BOARD)
    table = page.locator("#table")
    assert table.evaluate("box => box.scrollWidth - box.clientWidth") <= 0
    assert page.locator("svg.whisker").first.bounding_box()["width"] == pytest.approx(160)
    sizes = page.locator("#table tbody tr:has(th) > *").evaluate_all(
        "all => all.map(one => [one.scrollWidth - one.clientWidth, one.getBoundingClientRect().height])"
    )
    assert len(sizes) > 20
    # Names and what is below them end with dots, and rows stay one line each high.
    assert max(excess for excess, _ in sizes) <= 0
    assert max(height for _, height in sizes) <= 45


@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
def test_the_focused_element_is_not_hidden_beneath_the_sticky_column(long_keys, open_page, key):
    page = open_page(viewport={"width": 390, "height": 844})
    # With columns that the reader chose, the table scrolls sideways under its names.
    page.goto(f"{BOARD}?columns=interval,date,organisation,models")
    if key == "Tab":
        page.locator("#table").focus()
    else:
        page.locator("#compare button").focus()
    stops = []
    while len(stops) < 40:
        page.keyboard.press(key)
        stop = page.evaluate(
            """() => {
                const one = document.activeElement;
                if (!one.closest("#table table")) return null;
                const sticky = document.querySelector("#table thead .rank + th").getBoundingClientRect();
                const { left, right } = one.getBoundingClientRect();
                const isSticky = one.closest("tr > .rank + th") !== null;
                // Less than a pixel is rounding.
                const isClear = isSticky || left > sticky.right - 1 || right < sticky.left + 1;
                return [one.id || one.name || one.innerText, isClear];
            }"""
        )
        if stop is None:
            break
        stops.append(stop)
    assert len(stops) > 9
    assert [name for name, is_clear in stops if not is_clear] == []


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


def test_the_menus_of_a_wide_screen_close_when_the_focus_leaves_them(board, open_page):
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto("/submit/")
    menu = page.locator(".bar summary", has_text="Leaderboards")
    menu.focus()
    page.keyboard.press("Enter")
    link = page.locator(".bar").get_by_role("link", name=board.title)
    assert link.is_visible()
    page.keyboard.press("Shift+Tab")
    assert not link.is_visible()
