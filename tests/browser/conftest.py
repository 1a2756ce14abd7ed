"""Fixtures for tests in Chromium at a live server; without Chromium the tests are skipped."""

import pytest

from leaderboard.services.pictures import render_limit
from leaderboard.services.turns import Turns


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Let requests for pictures wait: a slow machine still draws those of pages that a test has left."""
    monkeypatch.setattr(render_limit, "PATIENCE_OF_PICTURES", 120)
    monkeypatch.setattr(render_limit, "turns", Turns(50))


@pytest.fixture(autouse=True)
def _whole_pages(monkeypatch):
    """Let each click and each wait end when the page is whole: Playwright goes on at its first bytes."""
    from playwright.sync_api import Locator

    def until_whole(method):
        def wait(self, **options) -> None:
            method(self, **options)
            self.page.wait_for_load_state("domcontentloaded")

        return wait

    for name in ("click", "wait_for"):
        monkeypatch.setattr(Locator, name, until_whole(getattr(Locator, name)))


@pytest.fixture(autouse=True)
def nothing_counted():
    """Forget what counts against limits: several tests sign up with the same address."""
    from django.core.cache import caches

    caches["default"].clear()


class Watch:
    """Collect the errors of a page and its requests to other hosts."""

    def __init__(self, page, origin: str) -> None:
        self.errors: list[str] = []
        self.foreign_urls: list[str] = []
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._note_request(request.url, origin))

    def _note_message(self, message) -> None:
        # A report comes with status 422, and tests abort requests. Chromium logs both as failed resources,
        # and htmx logs them again.
        expected = ("status of 4", "Status Error Code 4", "ERR_FAILED", "htmx:sendError", "htmx:afterRequest")
        if message.type == "error" and not any(text in message.text for text in expected):
            self.errors.append(message.text)

    def _note_request(self, url: str, origin: str) -> None:
        if not url.startswith((origin, "data:")):
            self.foreign_urls.append(url)


@pytest.fixture
def watches() -> list[Watch]:
    """List the watches of all pages that a test has opened."""
    return []


@pytest.fixture
def open_page(browser, live_server, watches):
    """Return a function that opens a page; at the end, no page may have errors or foreign requests."""
    contexts = []

    def open_(**options):
        context = browser.new_context(**{"base_url": live_server.url, **options})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        watches.append(Watch(page, live_server.url))
        return page

    yield open_
    for context in contexts:
        context.close()
    assert [watch.errors for watch in watches if watch.errors] == []
    assert [watch.foreign_urls for watch in watches if watch.foreign_urls] == []


@pytest.fixture
def board(transactional_db):
    """Make the demonstration board in the database that the threads of the live server use."""
    from tests.support import factories

    return factories.make_demo()


@pytest.fixture
def sign_in():
    from tests.support import factories

    def sign_in_(page, email: str = "ada@example.org") -> None:
        if not factories.User.objects.filter(email=email).exists():
            factories.make_user(email, first_name="Ada Lab")
        page.goto("/accounts/login/")
        page.locator("input[type=email]").fill(email)
        page.locator("input[type=password]").fill(factories.PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="My submissions").wait_for()

    return sign_in_


@pytest.fixture
def write_file(tmp_path):
    """Return a function that writes bytes to a file and returns its path."""

    def write_file_(raw: bytes, name: str = "results.json") -> str:
        path = tmp_path / name
        path.write_bytes(raw)
        return str(path)

    return write_file_
