"""Back up the database and the uploads."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from leaderboard.management.service_command import ServiceCommand
from leaderboard.services.backups.backup import back_up


class Command(ServiceCommand):
    # Whatever is wrong with the settings, a backup is possible.
    requires_system_checks = ()
    withheld_rights = 0o077
    help = "Write a backup of the database and the uploads into FOLDER, new or empty. The service may go on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        manifest = back_up(options["folder"])
        self.stdout.write(f"the database, and {len(manifest.files)} files")
        if manifest.missing:
            self.stderr.write(
                f"WARNING: {len(manifest.missing)} files that the database needs are not in the storage "
                f"of uploads, so the backup lacks them too: {', '.join(manifest.missing[:20])}"
            )
        self.stdout.write(
            "It contains the hidden reference answers, but neither SECRET_KEY nor the key that signs "
            "receipts: keep those separately."
        )
