"""The service's settings as bench/faults.py plays faults with them: its disks are small."""

from leaderboard.settings import *  # noqa: F403
from leaderboard.settings import DATA

UPLOAD_MIN_FREE_BYTES = 1_000_000
# Not on the small disk.
STATIC_ROOT = DATA.parent / "static"
