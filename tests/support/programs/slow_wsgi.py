"""The service, whose first scoring ever stops after writing its process id to $MARK."""

import os
import threading
from pathlib import Path

from leaderboard.wsgi import application

# After the application: it sets Django up.
from leaderboard.services.submissions import grade  # isort: skip

__all__ = ["application"]


_mark = Path(os.environ["MARK"])
_grade = grade.grade


def stop_the_first_time(*arguments, **named):
    if not _mark.exists():
        _mark.write_text(str(os.getpid()))
        threading.Event().wait()
    return _grade(*arguments, **named)


grade.grade = stop_the_first_time
