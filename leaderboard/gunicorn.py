"""Configure gunicorn: `gunicorn -c python:leaderboard.gunicorn leaderboard.wsgi`.

gunicorn reads the names in lower case, and calls the functions that have the names of its hooks.
Source: https://gunicorn.org/reference/settings/
"""

# Django is imported within the hooks: it is not set up yet when gunicorn reads this file.
# ruff: noqa: PLC0415

import fcntl
import gc
import ipaddress
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from gunicorn.systemd import SD_LISTEN_FDS_START, sd_notify

from leaderboard import env

bind = env.bind_address("BIND", "127.0.0.1:8000")
workers = env.count("WEB_WORKERS", 2)
threads = env.count("WEB_THREADS", 8)
# A thread waits while its client sends or reads, so strangers need a proxy in front that does the waiting.
worker_class = "gthread"
# Of a process; well below the usual limit of 1024 open files. Beyond it, new ones wait in the kernel.
worker_connections = 500
# The application is loaded once, before the workers fork: they share its memory, and the replacement of a
# killed worker serves at once.
preload_app = True
# The longest silence of a worker, not of a request, before it is killed and replaced.
timeout = 120
graceful_timeout = 30
keepalive = 5
# By default the header SCRIPT_NAME names the folder of the application if it comes from this machine. So any
# client of a proxy here that passes headers with underscores on would choose the page at an address.
forwarder_headers = ""
# Django reads X-Forwarded-Proto itself, with BEHIND_PROXY alone. By default gunicorn believes any client on
# this machine.
secure_scheme_headers: dict[str, str] = {}
limit_request_line = 4094
limit_request_fields = 60
# A proxy in front writes the access log.
accesslog = None
errorlog = "-"
loglevel = env.log_level("LOG_LEVEL")
logger_class = "leaderboard.monitoring.log_format.GunicornLogger"
# We do not use the control socket, and gunicorn would create it in $HOME.
control_socket_disable = True


def is_port_free(port: int) -> bool:
    """Check whether a server could listen on a port of this machine."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


_COUNTS_PREFIX = "wardboard-metrics-"
# A folder younger than this may be that of a server that starts, and has not locked it yet.
_COUNTS_START_SECONDS = 60


def _remove_stale_counts() -> None:
    """Remove the counts of servers that were killed: no process holds the lock of their folder."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_COUNTS_PREFIX}*"):
        # Of another user, or removed by another server that starts now.
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < _COUNTS_START_SECONDS:
                continue
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(descriptor)


def _make_counts_folder() -> str:
    """Make a folder and lock it until the last process of this server has ended.

    Workers are forked from this process, and so share its open file and thereby the lock.
    """
    folder = tempfile.mkdtemp(prefix=_COUNTS_PREFIX)
    fcntl.flock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_EX)
    return folder


# Where the processes of this server put their counts, so that any of them can add them up. Each start has a
# folder of its own: counts of another server, or of before a restart, would be added too.
_counts = ""
if env.text("METRICS_TOKEN"):
    _remove_stale_counts()
    _counts = _make_counts_folder()
    # prometheus_client reads it when it is imported, which is later.
    os.environ.update(PROMETHEUS_MULTIPROC_DIR=_counts)

# After so long a thread that calculates lets another one go on. With Python's 5 ms, a page that asks the
# database twenty times waits up to 100 ms for a thread that grades a file.
SWITCH_SECONDS = 0.001

_stopping = threading.Event()

# What the arbiter ends workers with.
_END_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT}


def _release_signals() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _END_SIGNALS)


def on_starting(server: Any) -> None:
    """End the process where tables, static files or uploads are not its own, or SECRET_KEY is weak."""
    from django.db import connections

    from leaderboard import checks
    from leaderboard.http import static_files
    from leaderboard.services import schema
    from leaderboard.services.files import installation

    checks.check_at_start()
    static_files.check_at_start()
    schema.check_at_start()
    installation.check_at_start()
    # Workers fork from this process, and two processes cannot share a connection.
    connections.close_all()
    os.register_at_fork(after_in_parent=_release_signals)


def pre_exec(server: Any) -> None:
    """Pass the sockets of systemd on to the server that takes the place of this one, after SIGUSR2."""
    if server.systemd:
        # The parent ends, so that systemd is the parent of the new server, and waits for it when it stops.
        if os.fork():
            os._exit(0)
        # The new server expects the sockets from number 3 on, and gunicorn has moved them.
        moved = [os.dup(listener.fileno()) for listener in server.LISTENERS]
        for number, descriptor in enumerate(moved, SD_LISTEN_FDS_START):
            os.dup2(descriptor, number)
            os.set_inheritable(number, True)


def when_ready(server: Any) -> None:
    """Load views, tasks, JSON schemas and graders, so that the first request does not wait for them.

    Then end the server whose place this one takes, if there is one: both listen on the same sockets.
    server: gunicorn.arbiter.Arbiter.
    """
    from django.conf import settings
    from django.urls import reverse

    from leaderboard.http import conditional
    from wardboard.scoring import registry

    for listener in server.LISTENERS:
        if not settings.BEHIND_PROXY and _is_reached_by_others(listener.sock):
            server.log.error(
                "Other machines can reach %s, and BEHIND_PROXY is not set: a few slow clients can stop the "
                "service. Put a proxy in front that buffers requests (docs/deploy/nginx.conf), and set "
                "BEHIND_PROXY=1.",
                listener,
            )
    conditional.release()
    # As in wsgi.py: what is imported here is no garbage.
    gc.disable()
    reverse("web:front")
    for board in registry.BENCHMARKS.values():
        board.schemas()
    # What is loaded by now stays. Each full collection would look through it, and all threads of the process
    # would wait for 120 ms of the processor; without it, for a third of that. No collection comes first: it
    # would take as long, for little, and leave holes in the memory that the workers share.
    gc.freeze()
    gc.enable()
    if server.master_pid:
        sd_notify(f"MAINPID={os.getpid()}", server.log)
        os.kill(server.master_pid, signal.SIGTERM)


def _is_reached_by_others(listener: socket.socket) -> bool:
    """Return whether a socket listens on more than this machine's own addresses."""
    if listener.family == socket.AF_UNIX:
        return False
    return not ipaddress.ip_address(listener.getsockname()[0]).is_loopback


def pre_fork(server: object, worker: object) -> None:
    """Hold back the signals that end a worker until it has handlers of its own.

    With those of the arbiter, which it is forked with, it would put the signal into a queue that it never
    reads, and go on until it is killed after `graceful_timeout`.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _END_SIGNALS)


def post_worker_init(worker: object) -> None:
    """Start the threads beside the requests: heartbeat, sweep, and long tasks where there are no workers."""
    from django.conf import settings

    from leaderboard.api.parameters.waiting import STOPPING
    from leaderboard.database import patience
    from leaderboard.services import background
    from leaderboard.services.engine import Lane
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
    # Before any thread starts, as threads inherit what is held back.
    _release_signals()
    sys.setswitchinterval(SWITCH_SECONDS)
    patience.limit_locks()
    lanes = [] if settings.WORKERS else list(Lane)
    if lanes:
        work = {"until": _stopping}
        threading.Thread(target=background.serve, kwargs=work, name="work", daemon=True).start()
    heartbeat.start(
        lanes=lanes,
        sweep=sweep.sweep,
        notify=send.notify,
        until=_stopping,
    )


def worker_exit(server: object, worker: object) -> None:
    """Stop the threads of `post_worker_init`."""
    _stopping.set()


def on_exit(server: object) -> None:
    """Remove the counts of this server."""
    if _counts:
        shutil.rmtree(_counts, ignore_errors=True)
