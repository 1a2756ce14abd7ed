"""Read the key of a service that was given none, or make it: `python -m leaderboard.secret_key` prints it."""

import os
import secrets
from pathlib import Path

from leaderboard import env


def read_or_make(data: Path) -> str:
    """Return the key in a folder, which the first call makes, all at once.

    Other users can read neither it nor the files beside it.
    """
    os.umask(0o077)
    data.mkdir(parents=True, exist_ok=True)
    path = data / "secret-key"
    if not (path.is_file() and path.stat().st_size):
        made = data / "secret-key.new"
        made.write_text(f"{secrets.token_urlsafe(50)}\n")
        made.replace(path)
    return path.read_text().strip()


if __name__ == "__main__":
    print(read_or_make(Path(env.text("WARDBOARD_DATA"))))
