"""Play attacks that learn hidden reference answers from scores: `make bench NAME=attack`.

README.md beside this file describes what is measured.
"""

import argparse
import os
import secrets
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main() -> None:
    """Set up the service on a database of its own, and play the attacks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("attacks", nargs="*", help="names as in the JSON; all by default")
    attacks = parser.parse_args().attacks
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "DATABASE_URL": "",
            "WORKERS": "",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "WARDBOARD_DATA": folder,
        }
        import django  # noqa: PLC0415 - the environment has to be set first

        django.setup()
        from _attack_play import play  # noqa: PLC0415
        from django.core.management import call_command  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        play(attacks)


if __name__ == "__main__":
    main()
