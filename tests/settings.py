"""The service's settings as the tests run them: a database and files of their own, thrown away at the end.

DATABASE_URL is honoured, so that the same tests run on PostgreSQL.
"""

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="wardboard-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["WARDBOARD_DATA"] = _folder
# WhiteNoise warns of a folder that is not there, once a client.
os.mkdir(os.path.join(_folder, "static"))
os.environ.setdefault("SECRET_KEY", "for-the-tests, and for nothing else at all")
# Processes that tests start need it too.
os.environ["JUDGE_DAY_CALLS"] = "none"
# Each core has a process that tests. More threads for products of matrices keep it busy while they wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What a developer's shell says about workers and mail is not what is tested.
for name in ("WORKERS", "DEBUG", "EMAIL_HOST", "HTTPS", "BEHIND_PROXY", "STAFF_SECOND_FACTOR"):
    os.environ.pop(name, None)

from leaderboard.settings import *  # noqa: E402, F403
from leaderboard.settings import CACHES, DATA, DATABASES, LOGGING, STORAGES  # noqa: E402

# Nothing here has to survive a power cut: each file of a test would wait for the disk.
os.fsync = lambda descriptor: None

# Tests look at a page right after a change. tests/leaderboard/http/test_page_cache.py tests the second.
PAGE_SECONDS = 0.0
# And at a file after an error. tests/leaderboard/services/submissions/test_sweep.py tests all attempts.
ERROR_ATTEMPTS = 1

# The process that reads the file of a visitor gives way to all others, of which a run of the tests has many.
CHECK_SECONDS_ANONYMOUS = 60

# No test collects static files.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# In memory, which tests without a database can clear. tests/leaderboard/web/accounts tests the real ones.
CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "limits"}

_database = DATABASES["default"]
if _database["ENGINE"].endswith("sqlite"):
    # A file, not memory: threads and processes of the tests lock each other as in service.
    _database["TEST"] = {"NAME": str(DATA / "tests.sqlite3")}
    _database["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
else:
    # By process, so that two runs on one machine do not take each other's database.
    _database["TEST"] = {"NAME": f"test_wardboard_{os.getpid()}"}
    _database.setdefault("OPTIONS", {})["options"] = "-c synchronous_commit=off"

# Many tests make the same mistake within a minute, and each looks for its line in the log.
_console = LOGGING["handlers"]["console"] | {"filters": ["client_errors"]}
LOGGING = LOGGING | {"handlers": LOGGING["handlers"] | {"console": _console}}
