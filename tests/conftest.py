"""Fixtures for the whole suite. tests/settings.py sets the environment before Django loads."""

import gc
import os

import pytest

from tools.chromium import find_chromium

# What CI cannot provide: the published data, another version of Python and what needs it,
# images, the history of the repository. Some tests are about one database, and
# are skipped on the other.
_MAY_BE_MISSING = (
    "../shared",
    "from 3.12 on",
    "no podman",
    "no base image",
    "no history of the repository",
    "is about PostgreSQL",
    "is about SQLite",
)

# Collecting tests makes no garbage; looking for some would cost an eighth of its time.
gc.disable()


def pytest_collection_finish():
    """Collect garbage seldom, and never what the imports created: it is most of the heap, and never freed."""
    gc.collect()
    gc.freeze()
    gc.enable()
    # The default, 700 objects, costs a test that renders pages one part in sixteen of its time.
    gc.set_threshold(100_000, 20, 100)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Let tests of the same boards follow each other, after pytest-django's own order."""
    from tests.support.databases import sort_by_boards

    sort_by_boards(items)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """Lay the boards that a test shares with others, before pytest-django begins the test's transaction."""
    if fixturedef.argname == "_django_db_helper":
        from tests.support.databases import boards_of, shared_boards

        with request.getfixturevalue("django_db_blocker").unblock():
            shared_boards.lay(boards_of(request.node))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Fail a test that is skipped for lack of a browser or a server, if NO_SKIPS is set."""
    report = yield
    if report.skipped and os.environ.get("NO_SKIPS"):
        reason = str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(text in reason for text in _MAY_BE_MISSING):
            report.outcome, report.longrepr = "failed", f"NO_SKIPS is set. {reason}"
    return report


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request, django_db_modify_db_settings):
    """Let one process of a run on SQLite migrate a test database for all, and keep it for the next runs."""
    from django.conf import settings

    from tests.support.databases import kept_tables, tables_made_once

    if not settings.DATABASES["default"]["ENGINE"].endswith("sqlite"):
        yield
        return
    with tables_made_once(kept_tables(request.config.cache.mkdir("migrated"))):
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Set up the test database so that emptying it is fast on PostgreSQL too, and that it can be dropped."""
    from tests.support.databases import end_other_sessions, flush_for_tests, shared_boards

    flush_for_tests()
    yield
    with django_db_blocker.unblock():
        shared_boards.clear()
        end_other_sessions()


@pytest.fixture(scope="session")
def browser():
    """Start one Chromium for all tests: Playwright can be started only once per thread."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = find_chromium()
    if not chromium:
        pytest.skip("no Chromium: install chromium-headless-shell or chromium, or name one in CHROMIUM")
    # Playwright's event loop runs in this thread, so Django would refuse every query as an async one.
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@pytest.fixture
def demo(db):
    """Return the open board "medagentbench-demo": demo references, no quota, feedback by type.

    It is there before a test that asks for it (tests/support/databases.py), and likewise the next; a test
    that commits makes its own.
    """
    # Imported here, so that tests/scoring runs without Django's models.
    from tests.support import factories

    return factories.get_board("medagentbench-demo") or factories.make_demo()


@pytest.fixture
def fhir_demo(db):
    """Return the open board "fhir-agentbench-demo".

    It has sixty questions, the rules judge, no quota, and feedback by type.
    """
    from tests.support import factories

    return factories.get_board("fhir-agentbench-demo") or factories.make_fhir_demo()


@pytest.fixture
def user(db):
    from tests.support import factories

    return factories.get_user("ada@example.org") or factories.make_user("ada@example.org")


@pytest.fixture
def other_user(db):
    from tests.support import factories

    return factories.make_user("grace@example.org")


@pytest.fixture
def team(user):
    """Return the personal team of `user`."""
    from leaderboard.services.accounts import personal_team

    return personal_team(user)


@pytest.fixture
def system_facts() -> dict:
    """Return facts about a system as a request states them."""
    from tests.support import factories

    return factories.make_facts()


def _demo_file(name: str) -> bytes:
    from wardboard.scoring.medagentbench import demo

    return getattr(demo, name).read_bytes()


@pytest.fixture
def good_file() -> bytes:
    """Return a demonstration file with 47 of 50 answers right."""
    return _demo_file("GOOD")


@pytest.fixture
def noisy_file() -> bytes:
    """Return a demonstration file with 30 of 50 answers right, and tasks missing."""
    return _demo_file("MIDDLING")


@pytest.fixture
def malformed_file() -> bytes:
    """Return a demonstration file with problems; it cannot be scored."""
    return _demo_file("MALFORMED")


@pytest.fixture
def good_answers() -> bytes:
    """Return a demonstration file with answers to the sixty questions, most of them right."""
    from wardboard.scoring.fhir_agentbench import demo

    return demo.GOOD.read_bytes()
