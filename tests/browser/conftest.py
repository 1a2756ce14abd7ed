"""A real Chromium at a live server. Without one these tests are skipped, and say so."""

import pytest

from leaderboard.services.pictures import render_limit


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """On a slow machine pictures of pages that a test has left are drawn still: none is refused for them."""
    monkeypatch.setattr(render_limit, "_PATIENCE_OF_PICTURES", 120)
    monkeypatch.setattr(render_limit, "turns", render_limit.Turns(100))


class Watch:
    """What a page complained of, and which other hosts it asked."""

    def __init__(self, page, origin: str) -> None:
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._see(request.url, origin))

    def _hear(self, message) -> None:
        # A 422 is the answer that the report comes with, and a line may be broken on purpose; Chromium logs
        # both as failed resources, and htmx says so on its own.
        expected = ("status of 4", "Status Error Code 4", "ERR_FAILED", "htmx:sendError", "htmx:afterRequest")
        if message.type == "error" and not any(text in message.text for text in expected):
            self.complaints.append(message.text)

    def _see(self, url: str, origin: str) -> None:
        if not url.startswith((origin, "data:")):
            self.strangers.append(url)


@pytest.fixture
def open_page(browser, live_server):
    """Opens a page at the live server; at the end nothing may have complained or asked another host."""
    watched, contexts = [], []

    def open_(**options):
        context = browser.new_context(**{"base_url": live_server.url, **options})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        watched.append(Watch(page, live_server.url))
        return page

    yield open_
    for context in contexts:
        context.close()
    assert [watch.complaints for watch in watched if watch.complaints] == []
    assert [watch.strangers for watch in watched if watch.strangers] == []


@pytest.fixture
def board(transactional_db):
    """The demonstration board, in the database that the live server's threads see."""
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
    """Writes bytes to a file, and returns its path for the file field."""

    def write_file_(raw: bytes, name: str = "results.json") -> str:
        path = tmp_path / name
        path.write_bytes(raw)
        return str(path)

    return write_file_
