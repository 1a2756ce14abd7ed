"""Run workers whose scoring never ends.

Usage: python -m tests.support.programs.endless_scoring_worker
"""

import threading

import django


def wait_forever(*_, **__):
    threading.Event().wait()


if __name__ == "__main__":
    django.setup()
    from django.core.management import call_command

    from leaderboard.services.submissions import grade

    grade.grade = wait_forever
    call_command("worker")
