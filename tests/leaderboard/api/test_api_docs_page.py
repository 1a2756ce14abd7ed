"""Swagger UI in a real browser: it runs under the strict policy, and asks no other host for anything."""

from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.any_database


@pytest.fixture
def page(browser):
    opened = browser.new_page()
    opened.set_default_timeout(60_000)
    yield opened
    opened.close()


def test_swagger_ui_shows_every_operation_and_keeps_to_its_own_host(page, live_server, transactional_db):
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(urlsplit(request.url)))
    page.goto(f"{live_server.url}/api/")
    page.wait_for_selector(".opblock")
    shown = page.locator(".opblock").count()
    page.locator(".opblock-post").first.click()
    page.wait_for_selector(".opblock.is-open .responses-table")
    page.wait_for_load_state("networkidle")
    paths = page.request.get(f"{live_server.url}/api/v1/openapi.json").json()["paths"]
    assert shown == sum(len(methods) for methods in paths.values())
    assert said == []
    ours = urlsplit(live_server.url).netloc
    assert {one.netloc for one in asked if one.scheme != "data"} == {ours}


def test_swagger_ui_can_ask_the_api(page, live_server, transactional_db):
    page.goto(f"{live_server.url}/api/")
    page.wait_for_selector(".opblock")
    page.locator("#operations-service-getHealth .opblock-summary-control").click()
    page.locator("#operations-service-getHealth .try-out__btn").click()
    page.locator("#operations-service-getHealth .execute").click()
    answer = page.locator("#operations-service-getHealth .live-responses-table .response-col_status")
    answer.last.wait_for()
    assert answer.last.inner_text().strip().startswith("200")
