"""Read the key of a service that was given none, or make it: `python -m leaderboard.secret_key` prints it."""

import hashlib
import os
import secrets
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env

# The SHA-256 of a key that was committed to this repository, so that anybody could sign sessions with it.
_COMMITTED = "4be8123a1c7536dc73dcf5878d58a33998764efc19d98d692875d87611143952"


def read_or_make() -> str:
    """Return the key in the folder of the data, which the first call makes, all at once.

    Other users can read neither it nor the files beside it. Raises ImproperlyConfigured for a known key.
    """
    data = env.data_folder(Path.cwd() / "var")
    os.umask(0o077)
    data.mkdir(parents=True, exist_ok=True)
    path = data / "secret-key"
    if not (path.is_file() and path.stat().st_size):
        made = data / "secret-key.new"
        made.write_text(f"{secrets.token_urlsafe(50)}\n")
        made.replace(path)
    key = path.read_text().strip()
    if is_committed(key):
        raise ImproperlyConfigured(
            f"{path} holds a key that was published with the sources: anybody can sign in as any person. "
            "Delete the file and start again, which makes a new key and ends all sessions."
        )
    return key


def is_committed(key: str) -> bool:
    return hashlib.sha256(key.strip().encode()).hexdigest() == _COMMITTED


if __name__ == "__main__":
    try:
        print(read_or_make())
    except ImproperlyConfigured as error:
        sys.exit(str(error))
