"""Serve Wardboard; the first scoring writes its process id to $MARK and never ends."""

import os
import threading
from pathlib import Path

from leaderboard.wsgi import application

# After the application: it sets Django up.
from leaderboard.services.submissions import grade  # isort: skip

__all__ = ["application"]


_mark = Path(os.environ["MARK"])
_grade = grade.grade


def grade_from_the_second_time(*args, **kwargs):
    if not _mark.exists():
        _mark.write_text(str(os.getpid()))
        threading.Event().wait()
    return _grade(*args, **kwargs)


grade.grade = grade_from_the_second_time
