"""The Celery application, whose messages are used only where BROKER_URL names a broker."""

import os
from typing import Any

from celery import Celery, signals
from kombu import Exchange, Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
app = Celery("wardboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
# The lanes of services.background. A worker without -Q takes messages from all of them.
app.conf.task_queues = [
    Queue(name, Exchange(name), routing_key=name) for name in ("celery", "celery.long", "celery.statistics")
]
app.conf.beat_schedule = {
    "sweep": {
        "task": "leaderboard.tasks.sweep",
        "schedule": 30.0,
        # The sweep does not wait behind files either.
        "options": {"queue": "celery.statistics"},
    }
}
app.autodiscover_tasks(["leaderboard"])


@signals.setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Keep the log as the settings have it: where this signal has a receiver, Celery sets up none."""
