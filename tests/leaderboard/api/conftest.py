"""Fixtures for the tests of the API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache

from leaderboard.models import TrustedPublisher
from leaderboard.services.accounts import create_token
from leaderboard.services.trusted_publishing import issuer_keys
from tests.support.api_client import Api
from tests.support.ci_issuer import CiIssuer, make_publisher
from tests.support.factories import make_demo, make_user
from tests.support.processes import environment, overriding, served, wait_for
from tests.support.wire import LIMIT


@pytest.fixture(autouse=True)
def _rates_start_anew():
    cache.clear()


@pytest.fixture
def anonymous() -> Api:
    return Api()


@pytest.fixture
def api(user) -> Api:
    return Api(create_token(user=user, name="tests", days=1)[1])


@pytest.fixture
def other_api(other_user) -> Api:
    return Api(create_token(user=other_user, name="tests", days=1)[1])


@pytest.fixture
def scored(api, demo, good_file, system_facts) -> dict:
    """Return a scored submission of `user` as JSON of the API."""
    response = api.send(good_file, system_facts)
    assert response.status_code == 201, response.content
    return response.json()


@pytest.fixture
def document(anonymous, db) -> dict:
    """Return the OpenAPI document of the API, parsed."""
    return anonymous.get("/api/v1/openapi.json").json()


@pytest.fixture
def nothing_stays(settings) -> Iterator[None]:
    """Check that a test leaves no file in the folder, which a real server shares with it."""
    folder = Path(settings.UPLOADS)

    def names() -> set[str]:
        return {path.name for path in folder.iterdir()} if folder.exists() else set()

    before = names()
    yield
    # A client that has left gets no response to wait for.
    wait_for(lambda: names() - before == set())


# --- A real server over the tests' database --------------------------------------------------------


@pytest.fixture(scope="session")
def port(django_db_setup, django_db_blocker):
    """Start a gunicorn on the test database, and return its port."""
    with django_db_blocker.unblock():
        env = environment(**overriding(UPLOAD_LIMITS={"body_bytes": LIMIT, "document_bytes": LIMIT}))
    with served(env) as port:
        yield port


@pytest.fixture
def token(transactional_db) -> str:
    make_demo()
    return create_token(user=make_user("wire@example.org"), name="t", days=1)[1]


@pytest.fixture
def issuer(settings) -> Iterator[CiIssuer]:
    """Serve an issuer of ID tokens that the service accepts, none of whose keys is known yet."""
    issuer_keys.keys_of.cache_clear()
    with CiIssuer() as issuer:
        settings.TRUSTED_ISSUERS = {issuer.origin: "github"}
        yield issuer


@pytest.fixture
def publisher(issuer, user, db) -> TrustedPublisher:
    """Return a publisher of the user's team, for jobs of the issuer."""
    return make_publisher(user, issuer=issuer.origin)
