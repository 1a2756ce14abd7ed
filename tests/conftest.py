"""Fixtures for the whole suite. tests/settings.py sets the environment before Django loads."""

import gc
import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

# What CI cannot bring: the published data, a broker and an interpreter of another kind, programs from npm.
_MAY_BE_AWAY = ("../shared", "no rabbitmq", "no npm", "from 3.12 on")

# No deadline: a machine that is busy for a moment is no fault of what is tested. Where nothing may be
# skipped, the examples are the same each time: what is refused there is a change, not its luck.
settings.register_profile(
    "wardboard",
    deadline=None,
    derandomize=bool(os.environ.get("NO_SKIPS")),
    # The database is rolled back once, at the end of all examples.
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("wardboard")


def pytest_collection_finish():
    """Leave what the imports made out of garbage collection: it stays to the end, and is most of the heap."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With NO_SKIPS set, a test that is skipped for want of a browser or a server fails."""
    report = yield
    if report.skipped and os.environ.get("NO_SKIPS"):
        why = str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(reason in why for reason in _MAY_BE_AWAY):
            report.outcome, report.longrepr = "failed", f"NO_SKIPS is set. {why}"
    return report


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup):
    """The database of the tests, which is emptied quickly on PostgreSQL too."""
    from tests.support.databases import delete_instead_of_truncate

    delete_instead_of_truncate()


@pytest.fixture(scope="session")
def browser():
    """A Chromium for all tests: Playwright can be started once in a thread."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip("no Chromium: install Debian's package `chromium`, or name one in CHROMIUM")
    # Playwright's own event loop runs in this thread; Django would take every query for an async one.
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture
def demo(db):
    """The open board "medagentbench-demo": demonstration references, no quota, feedback by type.

    A module with shared rows (tests/support/databases.py) may have it already, and so it is with the others.
    """
    # Inside: the tests of scoring alone do without Django's models.
    from tests.support import factories

    return factories.get_board("medagentbench-demo") or factories.make_demo()


@pytest.fixture
def fhir_demo(db):
    """The open board "fhir-agentbench-demo": sixty questions, the rules judge, no quota, feedback by type."""
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
    """The team of one that `user` is."""
    from leaderboard.services.accounts import personal_team

    return personal_team(user)


@pytest.fixture
def system_facts() -> dict:
    """Facts about a system as a request says them."""
    from tests.support import factories

    return factories.make_facts()


def _demo_file(name: str) -> bytes:
    from scoring.medagentbench import demo

    return getattr(demo, name).read_bytes()


@pytest.fixture
def good_file() -> bytes:
    """A demonstration file of which 47 of 50 answers are right."""
    return _demo_file("GOOD")


@pytest.fixture
def noisy_file() -> bytes:
    """A demonstration file of which 30 of 50 are right, with tasks missing."""
    return _demo_file("MIDDLING")


@pytest.fixture
def malformed_file() -> bytes:
    """A demonstration file with problems; it cannot be scored."""
    return _demo_file("MALFORMED")


@pytest.fixture
def good_answers() -> bytes:
    """A demonstration file with answers to the sixty questions, most of them right."""
    from scoring.fhir_agentbench import demo

    return demo.GOOD.read_bytes()
