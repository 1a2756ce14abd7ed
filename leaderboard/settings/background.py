"""Background work: by workers where there are any, by the web server otherwise."""

from datetime import timedelta

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from leaderboard.settings.database import DATABASES

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
