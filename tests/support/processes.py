"""Running the service in processes of its own, on the database of the tests."""

import os
from urllib.parse import quote

from django.conf import settings
from django.db import connection


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
