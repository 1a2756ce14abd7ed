"""A process that submits, and is killed by its own hand (SIGKILL) at a chosen place.

Usage: python -m tests.leaderboard.services.killed PLACE FILE USER_ID BOARD
"""

import os
import signal
import sys
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"


def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)


def place_kill(place: str) -> None:
    from leaderboard.models import AuditEvent
    from leaderboard.services import audit, grading, submitting

    record = audit.record

    def die_when_scored(action, **data):
        record(action, **data)
        if action == AuditEvent.Action.SCORED:
            die()

    targets = {
        "received": (grading, "admit", die),
        "checking": (grading, "read", die),
        "queueing": (grading, "_enqueue_on_commit", die),
        "queued": (grading, "score", die),
        "scoring": (grading, "evaluate", die),
        "finishing": (grading.audit, "record", die_when_scored),
        "storing": (submitting.Upload.objects, "create", die),
    }
    setattr(*targets[place])


def main(place: str, file: str, user_id: str, board: str) -> None:
    import django

    django.setup()
    from leaderboard.models import Benchmark, User
    from tests.factories import send

    user, benchmark = User.objects.get(pk=user_id), Benchmark.objects.get(slug=board)
    raw = Path(file).read_bytes()
    place_kill(place)
    send(user, benchmark, raw)


if __name__ == "__main__":
    main(*sys.argv[1:])
