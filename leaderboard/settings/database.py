"""The database, SQLite in WAL mode unless DATABASE_URL says otherwise, and the caches."""

import dj_database_url

from leaderboard import env
from leaderboard.settings.base import DATA

DATABASES = {
    "default": dj_database_url.parse(
        env.text("DATABASE_URL") or f"sqlite:///{DATA / 'wardboard.sqlite3'}",
        conn_max_age=60,
        conn_health_checks=True,
    )
}
# Seconds that a request waits: for a new connection, for a statement, for a lock. Commands, workers and the
# threads for background work have no limit but the first; 0 means none.
DATABASE_CONNECT_SECONDS = env.number("DATABASE_CONNECT_SECONDS", 3)
DATABASE_STATEMENT_SECONDS = env.number("DATABASE_STATEMENT_SECONDS", 10)
DATABASE_LOCK_SECONDS = env.number("DATABASE_LOCK_SECONDS", 5)
# Whether PgBouncer or its like gives a connection to each transaction: no state outlives one.
DATABASE_POOLED = env.flag("DATABASE_POOLED")
_database = DATABASES["default"]
if _database["ENGINE"].endswith("sqlite3"):
    _database["OPTIONS"] = {
        # The lock is taken when a transaction begins, so that writers queue instead of failing half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": DATABASE_LOCK_SECONDS,
        # FULL: a commit survives a power cut, not only a killed process.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-20000;",
    }
elif _database["ENGINE"].endswith("postgresql"):
    _database["ENGINE"] = "leaderboard.database"
    _database.setdefault("OPTIONS", {}).update(
        connect_timeout=DATABASE_CONNECT_SECONDS,
        # A machine that vanishes is noticed after a minute, or after 20 seconds where we wait for it to
        # receive something (in milliseconds).
        keepalives_idle=30,
        keepalives_interval=10,
        keepalives_count=3,
        tcp_user_timeout=20_000,
    )
    # Server-side cursors belong to a connection; one transaction gets another than the next.
    _database["DISABLE_SERVER_SIDE_CURSORS"] = DATABASE_POOLED
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Caches are one per process; keys name what they depend on, so none has to be shared.
CACHES = {
    # The limits on sign-ins and requests alone: if visitors could fill this cache, an evicted entry would end
    # a lock-out.
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # Statistics and drawings of leaderboards; keys have the revision, or a digest of the figures.
    "boards": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "boards",
        "OPTIONS": {"MAX_ENTRIES": 1000},
    },
    # Pages as visitors get them; leaderboard.http.page_cache says how large one may be.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 100},
    },
}
