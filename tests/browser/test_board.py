"""A board in a browser: filters, sorting, the way back and the address, by keyboard and without script."""

import re

import pytest

from tests.support.addresses import BOARD
from tests.support.pages.browser import names_on_page, wait_for_address, wait_for_names
from tests.support.rows import put_row


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
    page.keyboard.press("/")
    page.keyboard.type("south", delay=20)
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
    # Single keys can be switched off (WCAG 2.1.4).
    page.locator("[data-keys]").uncheck()
    page.keyboard.press("/")
    assert not search.evaluate("field => field === document.activeElement")
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


@pytest.mark.parametrize("failure", ["answered", "broken"])
def test_a_failed_filter_request_shows_an_error_with_a_link_to_the_filtered_page(rows, open_page, failure):
    page = open_page()
    page.goto(BOARD)
    handlers = {
        "answered": lambda route: route.fulfill(status=429, body="later"),
        "broken": lambda route: route.abort(),
    }
    page.route("**/*q=south*", handlers[failure])
    page.get_by_role("searchbox").fill("south")
    message = page.locator("#announcement")
    message.get_by_text("The table could not be fetched.").wait_for()
    assert message.bounding_box()["height"] > 20
    assert page.locator("#results").get_attribute("aria-busy") == "false"
    page.unroute("**/*q=south*")
    message.get_by_role("link", name="Try again").click()
    wait_for_names(page, "Beta", "Gamma")
    wait_for_address(page, f"{BOARD}?q=south")


def test_a_reader_chooses_a_colour_scheme_for_all_pages_and_without_script_the_system_does(board, open_page):
    page, scheme = open_page(color_scheme="light"), "getComputedStyle(document.documentElement).colorScheme"
    page.goto("/")
    page.get_by_label("Colour scheme").select_option("dark")
    assert page.evaluate(scheme) == "dark"
    page.goto(BOARD)
    assert page.evaluate(scheme) == page.get_by_label("Colour scheme").input_value() == "dark"
    page.get_by_label("Colour scheme").select_option("Auto")
    assert page.evaluate(scheme) == "light dark"
    page = open_page(java_script_enabled=False)
    page.goto("/")
    assert not page.get_by_label("Colour scheme").is_visible()
