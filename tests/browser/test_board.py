"""A board in a browser: filters, sorting and columns, by keyboard too, and the way back."""

import re

import pytest

from tests.support.pages.browser import names_on_page, wait_for_address, wait_for_names
from tests.support.rows import put_row

BOARD = "/benchmarks/medagentbench-demo/"


@pytest.fixture
def rows(board):
    put_row(board, "Alpha", 0.9, organisation="North", model_names=["m-1"], open_weights=True)
    put_row(board, "Beta", 0.8, organisation="South", model_names=["m-2"])
    put_row(board, "Gamma", 0.7, organisation="South", model_names=["m-1"])
    return board


def test_typing_filters_the_table_at_once_and_changes_the_url(rows, open_page):
    page = open_page()
    page.goto(BOARD)
    search = page.get_by_role("searchbox")
    search.press_sequentially("south", delay=20)
    # The table may be filtered in between, by the letters typed so far.
    wait_for_address(page, f"{BOARD}?q=south")
    wait_for_names(page, "Beta", "Gamma")
    # The field keeps its focus and text, and screen readers hear the count.
    assert search.evaluate("field => field === document.activeElement")
    assert search.input_value() == "south"
    assert page.locator("#announcement").inner_text().startswith("2 systems match")
    page.locator("summary", has_text="More filters").click()
    page.locator("select[name=model]").select_option("m-1")
    wait_for_names(page, "Gamma")
    wait_for_address(page, f"{BOARD}?q=south&model=m-1")
    # Someone else sees the same at that address.
    other = open_page()
    other.goto(page.url)
    assert names_on_page(other) == ["Gamma"]


def test_going_back_and_forward_restores_the_table(rows, open_page):
    page = open_page()
    page.goto(BOARD)
    page.get_by_role("searchbox").fill("south")
    wait_for_names(page, "Beta", "Gamma")
    page.get_by_role("link", name="System", exact=True).click()
    page.wait_for_url(re.compile(r"sort=system"))
    page.go_back()
    wait_for_address(page, "?q=south")
    wait_for_names(page, "Beta", "Gamma")
    page.go_back()
    wait_for_names(page, "Alpha", "Beta", "Gamma")
    wait_for_address(page, BOARD)
    assert page.get_by_role("searchbox").input_value() == ""
    # The whole page is restored, not only the part that htmx replaced.
    assert page.get_by_role("heading", level=1).count() == 1
    page.go_forward()
    wait_for_names(page, "Beta", "Gamma")
    assert page.get_by_role("searchbox").input_value() == "south"


def test_a_column_header_sorts_by_keyboard_and_keeps_focus_and_filters(rows, open_page):
    page = open_page()
    page.goto(f"{BOARD}?q=south")
    head = page.locator("#sort-score")
    head.focus()
    page.keyboard.press("Enter")
    wait_for_names(page, "Gamma", "Beta")
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    assert page.evaluate("document.activeElement.id") == "sort-score"
    wait_for_address(page, "?q=south&sort=score")
    # A later filter keeps the order.
    page.get_by_role("searchbox").fill("")
    wait_for_names(page, "Gamma", "Beta", "Alpha")


def test_columns_are_chosen_by_keyboard(rows, open_page):
    page = open_page()
    page.goto(BOARD)
    page.locator("summary", has_text="More filters").focus()
    page.keyboard.press("Enter")
    box = page.get_by_role("checkbox", name="Organisation")
    box.focus()
    page.keyboard.press("Space")
    page.locator("#sort-organisation").wait_for()
    assert page.get_by_role("cell", name="South").count() == 2
    page.wait_for_url(re.compile("columns="))
    assert box.evaluate("field => field === document.activeElement")
    page.keyboard.press("Space")
    page.locator("#sort-organisation").wait_for(state="hidden")
    wait_for_address(page, BOARD)


def test_without_javascript_the_button_filters_to_the_same_url(rows, open_page):
    page = open_page(java_script_enabled=False)
    page.goto(BOARD)
    page.get_by_role("searchbox").fill("south")
    page.locator("summary", has_text="More filters").click()
    page.locator("select[name=model]").select_option("m-1")
    page.get_by_role("button", name="Filter").click()
    wait_for_address(page, f"{BOARD}?q=south&model=m-1")
    assert names_on_page(page) == ["Gamma"]
    page.get_by_role("link", name="Clear the filters").click()
    wait_for_address(page, BOARD)
    assert names_on_page(page) == ["Alpha", "Beta", "Gamma"]


def test_a_keyboard_user_can_skip_the_filters(rows, open_page):
    page = open_page()
    page.goto(BOARD)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "table"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_common_filters_are_one_tap_away_and_the_others_are_folded(rows, open_page, width):
    page = open_page(viewport={"width": width, "height": 844})
    page.goto(BOARD)
    source, weights = page.locator("select[name=source]"), page.locator("select[name=weights]")
    assert not source.is_visible()
    assert not weights.is_visible()
    page.locator("summary", has_text="More filters").click()
    assert source.is_visible()
    assert weights.is_visible()
    panel = page.locator("#more-filters > .panel").bounding_box()
    assert panel["x"] >= 0
    assert panel["x"] + panel["width"] <= width
    # On a phone it opens at the lower end of the screen, from side to side.
    assert (panel["x"], panel["width"], panel["y"] + panel["height"]) == (0, 390, 844) or width > 390
    # A script applies the filters, so they need no button.
    assert not page.get_by_role("button", name="Filter", exact=True).is_visible()
    page.keyboard.press("Escape")
    page.locator("#chips").get_by_role("link", name="Open weights").click()
    wait_for_names(page, "Alpha")
