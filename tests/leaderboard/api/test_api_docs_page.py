"""Swagger UI in a real browser: it runs under the strict policy, and sends requests to no other host."""

from urllib.parse import urlsplit

import pytest


@pytest.fixture
def page(browser):
    new_page = browser.new_page()
    new_page.set_default_timeout(60_000)
    yield new_page
    new_page.close()


def test_swagger_ui_shows_every_operation_and_keeps_to_its_own_host(page, live_server, transactional_db):
    errors, urls = [], []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: urls.append(urlsplit(request.url)))
    page.goto(f"{live_server.url}/api/")
    page.wait_for_selector(".opblock")
    count = page.locator(".opblock").count()
    page.locator(".opblock-post").first.click()
    page.wait_for_selector(".opblock.is-open .responses-table")
    page.wait_for_load_state("networkidle")
    paths = page.request.get(f"{live_server.url}/api/v1/openapi.json").json()["paths"]
    assert count == sum(len(methods) for methods in paths.values())
    assert errors == []
    with page.expect_console_message():
        page.evaluate("console.error('an error')")
    assert errors == ["an error"], "errors are noticed"
    ours = urlsplit(live_server.url).netloc
    assert {url.netloc for url in urls if url.scheme != "data"} == {ours}


def test_swagger_ui_can_ask_the_api(page, live_server, transactional_db):
    page.goto(f"{live_server.url}/api/")
    page.wait_for_selector(".opblock")
    page.locator("#operations-service-getHealth .opblock-summary-control").click()
    page.locator("#operations-service-getHealth .try-out__btn").click()
    page.locator("#operations-service-getHealth .execute").click()
    status = page.locator("#operations-service-getHealth .live-responses-table .response-col_status")
    status.last.wait_for()
    assert status.last.inner_text().strip().startswith("200")


def test_swagger_ui_follows_the_colour_scheme_of_the_browser(page, live_server, transactional_db):
    page.goto(f"{live_server.url}/api/")
    page.wait_for_selector(".opblock")
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    page.emulate_media(color_scheme="dark")
    page.locator("html.dark-mode").wait_for(state="attached")
    assert page.evaluate(background) == "rgb(28, 32, 34)", "Swagger UI's own dark background"
    page.emulate_media(color_scheme="light")
    page.locator("html:not(.dark-mode)").wait_for(state="attached")
    assert page.evaluate(background) == light
