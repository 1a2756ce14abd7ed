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
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # The lock is taken when a transaction begins, so that writers queue instead of failing half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        # FULL: a commit survives a power cut, not only a killed process.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-20000;",
    }
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
