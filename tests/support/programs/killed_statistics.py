"""Compute the statistics of a board, and kill the own process (SIGKILL) at a chosen place.

Usage: python -m tests.support.programs.killed_statistics computing|storing BOARD_ID
"""

import os
import signal
import sys

os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"


def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)


def main(place: str, board: str) -> None:
    import django

    django.setup()
    from leaderboard.services.record import events
    from leaderboard.services.statistics import compute

    # In `touch` the rows are written, and not committed.
    module, name = {"computing": (compute, "compare_all"), "storing": (events, "touch")}[place]
    setattr(module, name, die)
    compute.compute_statistics(board_id=int(board))


if __name__ == "__main__":
    main(*sys.argv[1:])
