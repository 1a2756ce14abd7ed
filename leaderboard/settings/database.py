"""The database, SQLite in WAL mode unless DATABASE_URL says otherwise, the caches, and background work."""

import re
from datetime import timedelta
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from leaderboard.settings.base import DATA


def _default_database() -> dict[str, Any]:
    """Return the database that DATABASE_URL names. Raises ImproperlyConfigured, without its password."""
    schemes = "write a URL that begins with postgres or postgresql or sqlite, then ://"
    url = env.matching("DATABASE_URL", "", "(postgres|postgresql|sqlite)://.*", schemes)
    if not url.startswith("postgres"):
        path = url.removeprefix("sqlite://").removeprefix("/") or str(DATA / "wardboard.sqlite3")
        return {"ENGINE": "leaderboard.database.sqlite", "NAME": path}
    # The library is loaded only where it is used. libpq's own reading: it takes several hosts.
    from psycopg import ProgrammingError  # noqa: PLC0415
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415

    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except ProgrammingError:
        parts = {"port": "none"}
    if not re.fullmatch("[0-9,]*", parts.get("port", "")):
        raise ImproperlyConfigured(
            "DATABASE_URL: write postgres://user:password@host:5432/name, with %40 for @ in a password and "
            "so on, or sqlite:////path"
        )
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    database: dict[str, Any] = {key: parts.pop(name, "") for key, name in names.items()}
    if "," in database["HOST"]:
        parts = {"target_session_attrs": "read-write", **parts}
    return {"ENGINE": "leaderboard.database", **database, "OPTIONS": parts}


DATABASES = {"default": _default_database() | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}}
# Seconds that a request waits: for a new connection, for a statement, for a lock. Commands, workers and the
# threads for background work have no limit but the first; 0 means none.
DATABASE_CONNECT_SECONDS = 3
DATABASE_STATEMENT_SECONDS = 10
DATABASE_LOCK_SECONDS = 5
# The same for a lock of PostgreSQL where a request only reads, and so for that of a whole table.
DATABASE_PAGE_LOCK_SECONDS = 0.5
_database = DATABASES["default"]
if _database["ENGINE"].endswith("sqlite"):
    _database["OPTIONS"] = {
        # The lock is taken when a transaction begins, so that writers queue instead of failing half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": DATABASE_LOCK_SECONDS,
        # FULL: a commit survives a power cut, not only a killed process.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-4000;",
    }
else:
    _database["OPTIONS"].update(
        connect_timeout=DATABASE_CONNECT_SECONDS,
        # A machine that vanishes is noticed after a minute, or after 20 seconds where we wait for it to
        # receive something (in milliseconds).
        keepalives_idle=30,
        keepalives_interval=10,
        keepalives_count=3,
        tcp_user_timeout=20_000,
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


# The other caches are one per process; keys name what they depend on, so none has to be shared.
CACHES = {
    # The limits on sign-ins and requests, which all processes share. Nothing else is in it: if visitors could
    # fill it, an evicted entry would end a lock-out.
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "leaderboard_limitentry",
        # Entries expire within a day, and the sweep deletes them. Beyond this, live ones would go.
        "OPTIONS": {"MAX_ENTRIES": 1_000_000},
    },
    # Statistics and drawings of leaderboards; keys have the revision, or a digest of the figures.
    "boards": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "boards",
        "OPTIONS": {"MAX_ENTRIES": 1000},
    },
    # Pages as visitors get them, each with an entry that finds it by its address; leaderboard.http.page_cache
    # says how large one may be.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
}

# Whether processes of `manage.py worker` check and score files. Without them, threads of the web server do.
WORKERS = env.flag("WORKERS")
if WORKERS and "sqlite" in DATABASES["default"]["ENGINE"]:
    raise ImproperlyConfigured("WORKERS=1 needs PostgreSQL: with SQLite, the web server does all work itself")
# Seconds after which a process that works on one job is killed, which is then taken up again.
TASK_TIME_LIMIT = 900
# Work whose process has given no sign of life for so long is taken up by another.
LEASE_SECONDS = 15
# Interruptions without progress before a submission is given up.
SCORING_ATTEMPTS = 12
# Attempts at what fails with an error that nobody expected; a lease lies between two.
ERROR_ATTEMPTS = 3
# After so long a worker passes on a submission that waits for a judge.
SCORING_SLICE = timedelta(seconds=20)
