"""Move all rows from SQLite to PostgreSQL."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.services.backups.move import move_from_sqlite
from leaderboard.services.errors import ServiceError


class Command(BaseCommand):
    help = "Copy every row of an SQLite file to the migrated, empty PostgreSQL database of DATABASE_URL."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sqlite_file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tables = move_from_sqlite(options["sqlite_file"])
        except ServiceError as error:
            raise CommandError(error.detail) from error
        for name, rows in sorted(tables.items()):
            self.stdout.write(f"{rows:>9}  {name}")
        self.stdout.write(f"{sum(tables.values())} rows moved")
