"""Compare the database with the storage of uploads, and join them where they belong together."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.services.files import installation
from leaderboard.services.files.installation import OtherInstallation
from leaderboard.services.files.storage import storage


class Command(ServiceCommand):
    help = (
        "Count the files that the database names and those in the storage; --join makes the storage that of "
        "this database alone. Ends with 1 where the two do not belong together, or files are missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--join", action="store_true", help="let the service start with this pair")

    def handle(self, *args: Any, **options: Any) -> None:
        both, missing, only_in_folder = installation.compare()
        self.stdout.write(f"storage: {storage().label}")
        self.stdout.write(f"named by the database and in the storage: {both}")
        self.stdout.write(f"named by the database, not in the storage: {len(missing)}")
        self.stdout.write(f"in the storage, not named by the database: {only_in_folder}")
        try:
            installation.check()
            self.stdout.write("they belong together")
        except OtherInstallation as error:
            if not options["join"]:
                raise CommandError(f"{error.detail} To join them: pair_uploads --join") from error
            installation.require_unused()
            installation.adopt_uploads()
            self.stdout.write("joined: the service starts with this pair")
        if missing:
            raise CommandError(
                f"{len(missing)} files that the database needs are not in the storage: "
                f"{', '.join(map(str, missing[:20]))}. Copy them from a backup of the uploads."
            )
