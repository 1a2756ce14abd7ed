"""All processes count together what the limits count, in the database or in Redis; pages ask neither."""

import os
import socket
import time
import uuid
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from redis import Redis, RedisError

from leaderboard.models import LimitEntry
from leaderboard.services import accounts
from leaderboard.services.accounts import create_token
from leaderboard.settings.database import _limits_cache
from tests.support.api_client import Api
from tests.support.factories import PASSWORD, make_facts

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.fixture
def count_in(monkeypatch, settings):
    """Return a function that makes this process count in a server of Redis, or in the database for ""."""

    def use(url):
        monkeypatch.setenv("CACHE_URL", url)
        # The setting makes new connections, as another process would.
        settings.CACHES = {**settings.CACHES, "default": _limits_cache()}

    return use


@pytest.fixture(params=["database", "redis"])
def counter(request):
    if request.param == "database":
        return ""
    # A database that another test process is unlikely to use; 0 is left to a service on this machine.
    url = os.environ.get("TEST_REDIS_URL", f"redis://127.0.0.1:6379/{1 + os.getpid() % 15}")
    try:
        with Redis.from_url(url, socket_connect_timeout=20) as server:
            server.ping()
    except RedisError as error:
        pytest.skip(f"no redis at {url}: {error}")
    return url


def sign_in(password, email):
    form = {"login": email, "password": password}
    return Client(raise_request_exception=False, REMOTE_ADDR="192.0.2.1").post("/accounts/login/", form)


def test_a_lock_out_holds_in_every_process(user, count_in, counter, settings):
    user.emailaddress_set.all().delete()
    user.email = f"{uuid.uuid4().hex}@example.org"  # nobody else counts under it in Redis
    user.save()
    count_in(counter)
    for _ in range(5):
        assert sign_in("wrong", user.email).status_code == 200
    count_in(counter)
    for _ in range(5):
        sign_in("wrong", user.email)
    count_in(counter)
    assert "Too many failed login attempts" in sign_in(PASSWORD, user.email).content.decode()
    assert LimitEntry.objects.exists() is (counter == "")
    # Another installation on the same server has counts of its own.
    settings.SECRET_KEY = "another-secret-key-of-another-installation-0123456789"
    if counter:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("leaderboard.settings.database.SECRET_KEY", settings.SECRET_KEY)
            count_in(counter)
        assert sign_in(PASSWORD, user.email).status_code == 302


def test_pages_do_not_ask_the_table_of_the_limits(demo, visitor, count_in):
    count_in("")
    for address in ("/", f"/benchmarks/{demo.slug}/", "/accounts/login/", "/api/v1/benchmarks/"):
        with CaptureQueriesContext(connection) as queries:
            assert visitor.get(address).status_code == 200
        assert not [query for query in queries if "limitentry" in query["sql"]]


def test_what_has_expired_is_deleted_by_the_sweep(count_in):
    count_in("")
    caches["default"].set("live", 1, 60)
    caches["default"].set("expired", 1, 60)
    LimitEntry.objects.filter(cache_key__contains="expired").update(
        expires=timezone.now() - timedelta(seconds=1)
    )
    accounts.clear_expired()
    assert [entry.cache_key.rpartition(":")[2] for entry in LimitEntry.objects.all()] == ["live"]


def test_a_cache_that_is_away_refuses_sign_ins_and_nothing_else(
    demo, user, good_file, visitor, count_in, caplog
):
    _, token = create_token(user=user, name="ci", days=1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        count_in(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        began = time.monotonic()
        refused = sign_in(PASSWORD, user.email)
        assert (refused.status_code, refused["Retry-After"]) == (503, "5")
        assert Api(token).send(good_file, make_facts()).status_code == 201
        assert time.monotonic() - began < 15
        assert visitor.get(f"/benchmarks/{demo.slug}/").status_code == 200
    assert "a request was not counted: TimeoutError" in caplog.text
    assert "Traceback" not in caplog.text
