"""All processes count together what the limits count, in the database; pages do not ask it."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.models import LimitEntry
from tests.support.factories import PASSWORD

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.fixture
def count_anew(settings):
    """Return a function that makes new connections to the cache, as another process would."""

    def use():
        cache = "django.core.cache.backends.db.DatabaseCache"
        default = {"BACKEND": cache, "LOCATION": "leaderboard_limitentry"}
        settings.CACHES = {**settings.CACHES, "default": default}

    use()
    return use


def sign_in(password, email):
    form = {"login": email, "password": password}
    return Client(raise_request_exception=False, REMOTE_ADDR="192.0.2.1").post("/accounts/login/", form)


def test_a_lock_out_holds_in_every_process(user, count_anew):
    for _ in range(2):
        for _ in range(5):
            sign_in("wrong", user.email)
        count_anew()
    assert "Too many failed login attempts" in sign_in(PASSWORD, user.email).content.decode()
    assert LimitEntry.objects.exists()


def test_pages_do_not_ask_the_table_of_the_limits(demo, visitor, count_anew):
    for address in ("/", f"/benchmarks/{demo.slug}/", "/accounts/login/", "/api/v1/benchmarks/"):
        with CaptureQueriesContext(connection) as queries:
            assert visitor.get(address).status_code == 200
        assert not [query for query in queries if "limitentry" in query["sql"]]
