"""Run a Celery worker whose scoring never ends.

Usage: python -m tests.support.programs.endless_scoring_worker QUEUE
"""

import sys
import threading

import django

from leaderboard.celery import app


def wait_forever(*_, **__):
    threading.Event().wait()


if __name__ == "__main__":
    django.setup()
    from leaderboard.services.submissions import grade

    grade.grade = wait_forever
    app.worker_main(["worker", "--pool=solo", "-Q", sys.argv[1], "--without-mingle", "--without-gossip"])
