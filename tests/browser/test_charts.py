"""Charts by pointer, touch and keyboard, and without script."""

import pytest

from tests.support.pages.charts import HOSTILE, make_chart_board

VIEWS = "/benchmarks/fhir-agentbench/views/"


@pytest.fixture
def chart_board(transactional_db):
    return make_chart_board()


def test_a_chart_is_one_tab_stop_and_arrow_keys_move_between_marks(open_page, chart_board):
    page = open_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{VIEWS}progress/")
    page.locator("figure.chart > svg").wait_for()
    assert page.locator("figure.chart [role=img]").count() == 5
    assert page.locator("figure.chart [tabindex='0']").count() == 1
    page.get_by_role("link", name="SVG", exact=True).focus()
    page.keyboard.press("Shift+Tab")
    tip = page.locator(".tip")
    tip.wait_for()
    page.keyboard.press("Shift+Tab")
    assert not page.evaluate("Boolean(document.activeElement.closest('figure.chart > svg'))")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith("First (as published)")
    page.keyboard.press("End")
    assert tip.inner_text().startswith("Last")
    page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith("Last")
    page.keyboard.press("ArrowLeft")
    # The name is shown as text, not as markup.
    assert tip.inner_text().startswith(HOSTILE)
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    page.keyboard.press("Tab")
    assert page.evaluate("!document.activeElement.closest('figure.chart svg')")
    assert page.title() != "no"


@pytest.mark.parametrize(
    "body",
    [
        "<svg xmlns='http://www.w3.org/2000/svg'><script>document.title='no'</script></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg' onload=\"document.title='no'\"/>",
        "<svg xmlns='http://www.w3.org/2000/svg'><image href='https://example.org/x.png'/></svg>",
    ],
)
def test_a_response_that_is_not_our_drawing_is_not_put_into_the_page(browser, live_server, chart_board, body):
    # Without a watch: the browser logs what it blocks.
    context = browser.new_context(base_url=live_server.url)
    context.set_default_timeout(60_000)
    page = context.new_page()

    def fulfil(route):
        if route.request.resource_type == "fetch":
            route.fulfill(body=body, content_type="image/svg+xml")
        else:
            route.continue_()

    page.route("**/chart.svg*", fulfil)
    page.goto(f"{VIEWS}progress/")
    page.wait_for_load_state("networkidle")
    assert page.locator("figure.chart > svg").count() == 0
    assert page.locator("figure.chart img").is_visible()
    assert page.title() != "no"
    context.close()
