"""The Celery application, whose messages are used only where BROKER_URL names a broker."""

import os
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
app = Celery("wardboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["leaderboard"])


@signals.setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Keep the log as the settings have it: where this signal has a receiver, Celery sets up none."""
