"""Find a Chromium for tests and pictures."""

import os
import shutil
import sys

# The headless shell first: it draws the same pages, and does not start what only a window needs.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """Return the path of an installed Chromium, or the one that CHROMIUM names; None without one."""
    paths = (os.environ.get("CHROMIUM"), *map(shutil.which, PROGRAMS))
    return next(filter(None, paths), None)


if __name__ == "__main__":
    # For the Makefile: the exit code is 0 where there is one.
    sys.exit(find_chromium() is None)
