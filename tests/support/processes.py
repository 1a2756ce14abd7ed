"""Running the service in processes of its own, on the database of the tests."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection, connections

from leaderboard.services.errors import QuotaSpent


def database_url() -> str:
    """The address of the database that the running test uses, for another process."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{told['NAME']}"
    who = quote(told["USER"], safe="")
    if told["PASSWORD"]:
        who += ":" + quote(told["PASSWORD"], safe="")
    # A folder as host is a socket; it goes in the place of the host, quoted.
    where = quote(told["HOST"], safe="") + (f":{told['PORT']}" if told["PORT"] else "")
    return f"postgres://{who + '@' if who else ''}{where}/{told['NAME']}"


def environment(**more: str) -> dict[str, str]:
    """The environment of a process of the service that works on the test's database."""
    return {
        **os.environ,
        "DATABASE_URL": database_url(),
        "WARDBOARD_DATA": str(settings.DATA),
        "SECRET_KEY": settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        **more,
    }


def wait_for(what, seconds=120):
    """Return the first true value of `what()`; fail after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.05)
    pytest.fail(f"waited {seconds} s in vain")


def at_once(*works):
    """Run each work in a thread, all let go together; return what they returned or raised."""
    gate = threading.Barrier(len(works))

    def run(work):
        try:
            gate.wait(timeout=60)
            return work()
        except QuotaSpent as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))
