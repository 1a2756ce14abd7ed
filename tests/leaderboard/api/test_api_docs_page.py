"""The two pages of the API in a real browser: one to read, without JavaScript, and Swagger UI."""

from urllib.parse import urlsplit

import pytest


@pytest.fixture
def page(browser):
    new_page = browser.new_page()
    new_page.set_default_timeout(60_000)
    yield new_page
    new_page.close()


@pytest.fixture
def reader(browser):
    """Return a page of a browser without JavaScript, as wide as a phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    yield context.new_page()
    context.close()


def test_the_reference_says_without_javascript_what_the_document_says(reader, live_server, transactional_db):
    document = reader.request.get(f"{live_server.url}/api/v1/openapi.json").json()
    reader.goto(f"{live_server.url}/api/")
    text = reader.locator("main").text_content()
    for path, methods in document["paths"].items():
        for operation in methods.values():
            article = reader.locator(f"article[id={operation['operationId']}]")
            shown = article.text_content()
            assert path in shown
            assert operation["summary"] in shown
            assert all(parameter["name"] in shown for parameter in operation["parameters"])
            assert all(status in shown for status in operation["responses"])
    for name in (*document["components"]["schemas"], *document["components"]["headers"]):
        assert name in text
    assert reader.locator("article").count() > 35


def test_swagger_ui_shows_every_operation_and_keeps_to_its_own_host(page, live_server, transactional_db):
    errors, urls = [], []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: urls.append(urlsplit(request.url)))
    page.goto(f"{live_server.url}/api/try/")
    page.wait_for_selector(".opblock")
    count = page.locator(".opblock").count()
    page.locator(".opblock-post").first.click()
    page.wait_for_selector(".opblock.is-open .responses-table")
    page.wait_for_function(
        "performance.getEntriesByType('resource').every(({responseEnd}) => responseEnd > 0)"
    )
    paths = page.request.get(f"{live_server.url}/api/v1/openapi.json").json()["paths"]
    assert count == sum(len(methods) for methods in paths.values())
    assert errors == []
    with page.expect_console_message():
        page.evaluate("console.error('an error')")
    assert errors == ["an error"], "errors are noticed"
    ours = urlsplit(live_server.url).netloc
    assert {url.netloc for url in urls if url.scheme != "data"} == {ours}


def test_swagger_ui_can_ask_the_api(page, live_server, transactional_db):
    page.goto(f"{live_server.url}/api/try/")
    page.wait_for_selector(".opblock")
    page.locator("#operations-service-getHealth .opblock-summary-control").click()
    page.locator("#operations-service-getHealth .try-out__btn").click()
    page.locator("#operations-service-getHealth .execute").click()
    status = page.locator("#operations-service-getHealth .live-responses-table .response-col_status")
    status.last.wait_for()
    assert status.last.inner_text().strip().startswith("200")
