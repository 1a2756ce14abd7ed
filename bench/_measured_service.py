"""Prepare the service that a bench measures: its settings, its database, an account that sends files."""

import os
from pathlib import Path


def choose_settings(data: Path | str, **more: str) -> None:
    """Have the service keep its data in a folder, on SQLite and without workers. more: other variables."""
    os.environ |= {
        "WARDBOARD_DATA": str(data),
        "SECRET_KEY": "for-the-bench, and for nothing else at all",
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        **more,
    }
    for name in ("DATABASE_URL", "WORKERS"):
        os.environ.pop(name, None)


def open_database() -> None:
    """Set up Django on the settings of the environment, with its tables and static files."""
    import django  # noqa: PLC0415 - the environment has to be set first

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def create_token(email: str = "bench@example.org") -> str:
    """Return an API token of a new account."""
    from leaderboard.models import User  # noqa: PLC0415
    from leaderboard.services import accounts  # noqa: PLC0415

    return accounts.create_token(user=User.objects.create_user(email), name="bench", days=90)[1]
