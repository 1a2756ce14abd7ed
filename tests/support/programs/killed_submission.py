"""Submit files, each in a process that kills itself (SIGKILL) at a chosen place.

A line of standard input is a JSON list: the place, the path of the file, the id of the user and the board. A
line of standard output is the exit code of the process. It is forked from this one, so that the service is
loaded once.
"""

import json
import os
import signal
import sys
from collections import defaultdict
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"


def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)


def place_kill(place: str) -> None:
    from django.conf import settings

    from leaderboard.models import AuditEvent, Submission
    from leaderboard.services import audit, background
    from leaderboard.services.submissions import admit, grade

    record = audit.record

    def die_when_scored(action, **data):
        record(action, **data)
        if action == AuditEvent.Action.SCORED:
            die()

    targets = {
        "received": (admit, "admit", die),
        "checking": (admit, "extract_records", die),
        "queueing": (admit, "columns_of", die),
        "queued": (background, "tasks", defaultdict(lambda: die)),
        "claimed": (grade, "score_claimed", die),
        "scoring": (grade, "grade", die),
        "finishing": (grade.audit, "record", die_when_scored),
        "storing": (Submission, "save", die),
    }
    if place in ("received", "queueing"):
        # A file that is checked before its row exists is never in these states.
        settings.CHECK_AT_ONCE_BYTES = 1
    if place == "claimed":
        # As a process of the server does, which claims the row of a small file as it creates it.
        background.is_served.set()
    setattr(*targets[place])


def submit(place: str, file: str, user_id: str, slug: str) -> None:
    from leaderboard.models import Board, User
    from tests.support.factories import send

    user, board = User.objects.get(pk=user_id), Board.objects.get(slug=slug)
    place_kill(place)
    send(user, board, Path(file).read_bytes())


def main() -> None:
    import django

    django.setup()
    from tests.support import factories  # noqa: F401  # before the forks, as each would load it

    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            submit(*json.loads(line))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
