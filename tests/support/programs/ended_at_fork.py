"""A gunicorn configuration whose first worker gets a SIGTERM as soon as it is forked.

Usage: gunicorn -c python:tests.support.programs.ended_at_fork leaderboard.wsgi

MARK in the environment names a file that does not exist yet; the process id of that worker is written to it.
"""

import os
import signal
from pathlib import Path

from leaderboard import gunicorn
from leaderboard.gunicorn import *  # noqa: F403  # gunicorn reads the names of this module


def _end_first_worker() -> None:
    mark = Path(os.environ["MARK"])
    if not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGTERM)


def when_ready(server: object) -> None:
    """Do what the service does, and then arm the signal."""
    gunicorn.when_ready(server)
    os.register_at_fork(after_in_child=_end_first_worker)
