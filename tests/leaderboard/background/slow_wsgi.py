"""The service, whose first scoring ever stops after writing its process id to $MARK."""

import os
import threading
from pathlib import Path

from leaderboard.wsgi import application

# After the application: it sets Django up.
from leaderboard.services import grading  # isort: skip

__all__ = ["application"]


_mark = Path(os.environ["MARK"])
_evaluate = grading.evaluate


def stop_the_first_time(*arguments):
    if not _mark.exists():
        _mark.write_text(str(os.getpid()))
        threading.Event().wait()
    return _evaluate(*arguments)


grading.evaluate = stop_the_first_time
