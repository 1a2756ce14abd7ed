"""The service's settings as processes that tests start have them.

TEST_SETTINGS in the environment, JSON, has values of the test's own: tests.support.processes.overriding.
"""

import json
import os

from leaderboard.settings import *  # noqa: F403
from leaderboard.settings import STORAGES

# No test collects static files for its process.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
globals().update(json.loads(os.environ.get("TEST_SETTINGS", "{}")))
