"""Configure gunicorn: `gunicorn -c python:leaderboard.gunicorn leaderboard.wsgi`.

gunicorn reads the names in lower case, and calls the functions that have the names of its hooks.
Source: https://gunicorn.org/reference/settings/
"""

# Django is imported within the hooks: it is not set up yet when gunicorn reads this file.
# ruff: noqa: PLC0415

import gc
import os
import shutil
import signal
import tempfile
import threading
from types import FrameType

from leaderboard import env

bind = env.text("BIND", "127.0.0.1:8000")
workers = env.number("WEB_WORKERS", 2, least=1)
# Requests get a thread in the order of their arrival. So that no page waits behind files, a process that has
# both needs more threads than there are files at a time. Each has a connection: with PostgreSQL, a proxy
# keeps pages and files apart, and few threads do.
threads = env.number("WEB_THREADS", 8 if env.text("DATABASE_URL").startswith("postgres") else 64, least=1)
# A thread waits while its client sends or reads, so strangers need a proxy in front that does the waiting.
worker_class = "gthread"
# Of a process; well below the usual limit of 1024 open files. Beyond it, new ones wait in the kernel.
worker_connections = 500
# The application is loaded once, before the workers fork: they share its memory, and the replacement of a
# killed worker serves at once.
preload_app = True
# The longest silence of a worker, not of a request, before it is killed and replaced.
timeout = 120
keepalive = 5
# By default the header SCRIPT_NAME names the folder of the application if it comes from this machine. So any
# client of a proxy here that passes headers with underscores on would choose the page at an address.
forwarder_headers = ""
# Django reads X-Forwarded-Proto itself, with BEHIND_PROXY alone. By default gunicorn believes any client on
# this machine.
secure_scheme_headers: dict[str, str] = {}
limit_request_fields = 60
# A proxy in front writes the access log.
accesslog = None
loglevel = env.log_level("LOG_LEVEL")
logger_class = "leaderboard.monitoring.log_format.GunicornLogger"
# We do not use the control socket, and gunicorn would create it in $HOME.
control_socket_disable = True


# Where the processes of this start put their counts, so that any of them can add them up. It is in memory, as
# the kernel ends a process that counts into a file for which a full disk has no room.
_counts = ""
if env.text("METRICS_TOKEN"):
    _MEMORY = "/dev/shm"  # noqa: S108 - the folder in it is new  # nosec B108
    _folder = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    _counts = tempfile.mkdtemp(prefix="wardboard-metrics-", dir=_folder)
    # prometheus_client reads it when it is imported, which is later.
    os.environ.update(PROMETHEUS_MULTIPROC_DIR=_counts)

_stopping = threading.Event()


def on_starting(server: object) -> None:
    """End the process where tables or uploads are not its own, or SECRET_KEY is weak; load the pages.

    gunicorn listens afterwards, so no request waits for them: until then nginx asks the other pool.
    """
    from django.db import connections
    from django.urls import reverse

    from leaderboard import checks
    from leaderboard.http import conditional

    checks.check_at_start()
    # Workers fork from this process, and two processes cannot share a connection.
    connections.close_all()
    conditional.release()
    reverse("web:front")
    # What is loaded by now stays, and each full collection would look through it.
    gc.freeze()


def post_worker_init(worker: object) -> None:
    """Start the threads beside the requests: heartbeat, sweep, and long tasks where there are no workers."""
    from django.conf import settings

    from leaderboard.api.submissions.waiting import STOPPING
    from leaderboard.database import patience
    from leaderboard.services import background
    from leaderboard.services.files import child
    from leaderboard.services.notifications import send
    from leaderboard.services.processes import heartbeat
    from leaderboard.services.submissions import sweep

    stop_accepting = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: FrameType | None) -> None:
        STOPPING.set()
        if callable(stop_accepting):
            stop_accepting(number, frame)

    # gunicorn calls a hook only when the last request of a stopping worker has ended.
    signal.signal(signal.SIGTERM, stop)
    patience.limit_locks()
    lanes = [] if settings.WORKERS else list(background.Lane)
    if lanes:
        threading.Thread(target=background.serve, kwargs={"until": _stopping}, daemon=True).start()
    heartbeat.start(lanes=lanes, sweep=sweep.sweep, notify=send.notify, until=_stopping)
    child.start()


def worker_exit(server: object, worker: object) -> None:
    _stopping.set()


def on_exit(server: object) -> None:
    if _counts:
        shutil.rmtree(_counts, ignore_errors=True)
