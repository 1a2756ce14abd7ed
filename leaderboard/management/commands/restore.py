"""Restore a backup."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from leaderboard.management.service_command import ServiceCommand
from leaderboard.services.backups.backup import digest_of_key
from leaderboard.services.backups.restore import restore, verify


class Command(ServiceCommand):
    help = (
        "Restore the backup in FOLDER, of SQLite also to PostgreSQL, into an empty database and folder, then "
        "compare all files."
    )
    # The checks may ask the database, which has no tables yet.
    needs_tables = False
    # What it writes holds the hidden references: other users of the machine cannot read it.
    withheld_rights = 0o007
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--verify",
            action="store_true",
            help="restore nothing: compare the files with FOLDER, before the service starts on it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        act = verify if options["verify"] else restore
        manifest = act(options["folder"])
        self.stdout.write(
            f"equal to the backup of {manifest.made_at}: the database, and {len(manifest.files)} files"
        )
        if manifest.key_digest != digest_of_key():
            self.stderr.write(
                "WARNING: the backup was made with another SECRET_KEY: similar files and network addresses "
                "are not recognised any more. Sessions, links in emails, authenticator apps and recovery "
                "codes stay valid only with the earlier key in SECRET_KEY_FALLBACKS."
            )
