"""gunicorn's configuration: `gunicorn -c python:leaderboard.gunicorn leaderboard.wsgi`.

gunicorn reads the names in lower case, and calls the functions named after its hooks.
Source: https://gunicorn.org/reference/settings/
"""

# Django is imported in the hooks: it is not set up yet when this file is read.
# ruff: noqa: PLC0415

import socket
import threading

from leaderboard import env

bind = env.text("BIND", "127.0.0.1:8000")
workers = env.number("WEB_WORKERS", 2)
threads = env.number("WEB_THREADS", 4)
worker_class = "gthread"
# The application is loaded once, before the workers fork: they share its memory, and one that replaces
# a killed one serves at once.
preload_app = True
# Of the heartbeat, not of a request: a worker that is silent for so long is killed and replaced.
timeout = 120
graceful_timeout = 30
keepalive = 5
limit_request_line = 4094
limit_request_fields = 60
# Not by an address in every line: a proxy in front writes the access log.
accesslog = None
errorlog = "-"
# Nobody steers the server from within; no socket is left in the home folder.
control_socket_disable = True

SWEEP_SECONDS = 30
UNREAD_SECONDS = 30

_stopping = threading.Event()


def when_ready(server):
    """Load what the first request would load otherwise: views, JSON Schema validators, graders. And have
    connections given up whose other end takes nothing for UNREAD_SECONDS: each holds a thread."""
    from django.urls import get_resolver

    from leaderboard.http import conditional
    from scoring import registry

    for listener in server.LISTENERS:
        # Linux has it, and every connection takes it over from its listener.
        if hasattr(socket, "TCP_USER_TIMEOUT") and listener.sock.family != socket.AF_UNIX:
            listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
    conditional.release()
    _ = get_resolver().url_patterns
    for benchmark in registry.FAMILIES.values():
        benchmark.schemas()


def post_worker_init(worker):
    """Without a broker there is no beat and no other worker: each takes up what a killed one left, and
    does what takes longer than a request."""
    from django.conf import settings

    if not settings.BROKER_URL:
        threading.Thread(target=work, name="work", daemon=True).start()


def worker_exit(server, worker):
    _stopping.set()


def work():
    """Do what is handed over, and sweep now and every SWEEP_SECONDS, until the worker stops."""
    from leaderboard.services import background
    from leaderboard.services.submissions import sweep

    background.serve(until=_stopping, every=SWEEP_SECONDS, sweep=sweep.sweep)
