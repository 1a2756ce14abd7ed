"""A database that accepts no writes (a standby, a full disk) is an outage that passes, like any other."""

import psycopg
import pytest
import requests
from django.db import connection

from leaderboard.database import base as postgresql
from leaderboard.services.accounts import create_token
from tests.support.processes import ON_POSTGRESQL, database_url, overriding, wait_for
from tests.support.wire import send_form

pytestmark = ON_POSTGRESQL


@pytest.fixture
def read_only():
    """Return a function that makes the database of the test read-only, or not, for all who connect anew."""

    def change(is_read_only):
        name = connection.ops.quote_name(connection.settings_dict["NAME"])
        value = "on" if is_read_only else "off"
        with psycopg.connect(database_url(), autocommit=True) as server:
            server.execute("SET default_transaction_read_only = off")
            server.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
            if is_read_only:
                # As a failover does.
                server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                    "AND datname = current_database() AND pid <> %s",
                    [connection.connection.info.backend_pid],
                )

    connection.ensure_connection()
    yield change
    change(False)


def test_a_database_that_becomes_read_only_is_an_outage_until_it_can_be_written_to(
    demo, user, good_file, serve, log, read_only
):
    _, token = create_token(user=user, name="ci", days=1)
    base = serve(**overriding(LEASE_SECONDS=2))

    def readiness():
        return requests.get(f"{base}/readyz", timeout=60).json()

    wait_for(lambda: readiness()["status"] == "ready")
    read_only(True)
    # A connection that the failover ended is noticed first.
    wait_for(lambda: readiness()["database"] == "is read-only")
    assert readiness()["sweep"] == "not possible while the database is read-only"
    for _ in range(20):
        answer = send_form(base, token, good_file)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert int(answer.headers["Retry-After"]) > 0
    assert requests.get(f"{base}/benchmarks/{demo.slug}/", timeout=60).status_code == 200
    form = requests.get(f"{base}/accounts/login/", timeout=60)
    assert form.status_code == 200
    read_only(False)
    # The service reconnects by itself.
    answer = wait_for(lambda: (sent := send_form(base, token, good_file)).status_code == 201 and sent)
    assert answer.json()["status"] == "scored"
    wait_for(lambda: readiness()["status"] == "ready")
    assert "Traceback" not in log.read_text()


def test_a_connection_that_refuses_to_write_is_replaced(db, read_only):
    read_only(True)
    stale = postgresql.DatabaseWrapper(connection.settings_dict, "stale")
    with pytest.raises(postgresql.OperationalError, match="read-only"):
        stale.cursor().execute("DELETE FROM leaderboard_sweeptimes")
    stale.close_if_unusable_or_obsolete()
    read_only(False)
    stale.cursor().execute("DELETE FROM leaderboard_sweeptimes")
    stale.close()
