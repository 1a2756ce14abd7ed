"""The Celery application, whose messages are used only where BROKER_URL names a broker."""

import os
from typing import Any

from celery import Celery, signals
from django.utils.crypto import salted_hmac
from structlog.contextvars import bind_contextvars, clear_contextvars

from leaderboard.monitoring import ids

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
# Celery would load all pages and the API for Django's checks, and throw away what these find. A worker makes
# those that can end it itself: `check_installation` in tasks.py.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
app = Celery("wardboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Workers of another installation on this broker neither get our commands nor answer them, even where their
# names are the same: two hosts, or two folders of one, may be called alike.
_INSTALLATION = salted_hmac("leaderboard.celery", "control", algorithm="sha256").hexdigest()[:16]
app.conf.control_exchange = f"wardboard.{_INSTALLATION}"
app.conf.event_exchange = f"wardboard.{_INSTALLATION}.events"
app.autodiscover_tasks(["leaderboard"])


@signals.setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Keep the log as the settings have it: where this signal has a receiver, Celery sets up none."""


@signals.before_task_publish.connect
def pass_on_request_id(headers: dict[str, Any], **_: Any) -> None:
    """Put the id of the request into its message, so that lines of the task can be found by it."""
    headers["request_id"] = ids.current("request_id")


@signals.task_prerun.connect
def bind_ids(task_id: str, task: Any, **_: Any) -> None:
    """Give the log lines of a task its id, and that of the request that sent it."""
    clear_contextvars()
    request_id = (task.request.headers or {}).get("request_id")
    bind_contextvars(task_id=task_id, **({"request_id": request_id} if request_id else {}))


@signals.task_postrun.connect
def clear_ids(**_: Any) -> None:
    """Forget the ids of a task that has ended."""
    clear_contextvars()
