"""A Celery worker whose scoring never ends: python -m tests.support.programs.slow_worker QUEUE"""

import sys
import threading

import django

from leaderboard.celery import app


def never_ends(*_, **__):
    threading.Event().wait()


if __name__ == "__main__":
    django.setup()
    from leaderboard.services.submissions import grade

    grade.grade = never_ends
    app.worker_main(["worker", "--pool=solo", "-Q", sys.argv[1], "--without-mingle", "--without-gossip"])
