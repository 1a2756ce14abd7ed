"""Start programs in Python, each forked from this process, which has loaded the libraries of the service.

Usage: python -m tests.support.programs.forks DESCRIPTOR

DESCRIPTOR is a socket. A message on it is a JSON object, the arguments and the environment of a program, with
the three files of its standard streams. The answer is its process id. See tests/support/forks.py.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
import time

MOST_BYTES = 1 << 20
# What gunicorn and workers load, without modules that read the environment or Django's settings as they are
# imported, such as prometheus_client. Our own modules are loaded by each program for itself.
_LIBRARIES = (
    "cryptography.hazmat.primitives.asymmetric.ec",
    "cryptography.x509",
    "django.contrib.postgres.fields",
    "django.core.cache.backends.db",
    "django.core.files.storage",
    "django.core.handlers.wsgi",
    "django.core.management",
    "django.core.serializers.json",
    "django.db.backends.postgresql.psycopg_any",
    "django.db.backends.sqlite3.base",
    "django.db.models",
    "django.template.backends.django",
    "django.test",
    "django.views.generic",
    "fido2.server",
    "gunicorn.app.wsgiapp",
    "gunicorn.workers.gthread",
    "jinja2",
    "jsonschema",
    "jsonschema_rs",
    "jwt",
    "markdown_it",
    "msgspec.json",
    "numpy",
    "procrastinate",
    "psycopg",
    "psycopg_pool",
    "requests",
    "rfc8785",
    "wardboard.scoring.registry",
    "structlog",
    "zstandard",
)


def _wait_for_program(requests: socket.socket) -> list[str]:
    """Fork for each message; return, in the new process alone, the arguments of its program."""
    while True:
        message, streams, *_ = socket.recv_fds(requests, MOST_BYTES, 3)
        if not message:
            sys.exit()
        process = os.fork()
        if process:
            for stream in streams:
                os.close(stream)
            # Of the process between the two: who asked has adopted its child by now.
            requests.send(str(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])).encode())
            continue
        program = json.loads(message)
        if child := os.fork():
            requests.send(str(child).encode())
            os._exit(0)
        requests.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        return _become(**program)


def _become(*, arguments: list[str], environ: dict[str, str], new_session: bool) -> list[str]:
    if new_session:
        os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    return arguments


if __name__ == "__main__":
    # Of the terminal: it ends the tests, and they end this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    for _library in _LIBRARIES:
        importlib.import_module(_library)
    # Else each program would look through it, and copy it.
    gc.freeze()
    gc.enable()
    _arguments = _wait_for_program(socket.socket(fileno=int(sys.argv[1])))
    import runpy

    if _arguments[0] == "-c":
        sys.argv = ["-c", *_arguments[2:]]
        exec(compile(_arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    elif _arguments[0] == "-m":
        sys.argv = _arguments[1:]
        runpy.run_module(_arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = _arguments
        runpy.run_path(_arguments[0], run_name="__main__")
