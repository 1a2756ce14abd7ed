"""What commands that use the service's tables have in common."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from leaderboard.services import schema


class ServiceCommand(BaseCommand):
    """A command that refuses to run where the tables are those of another release."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        # `call_command` runs inside a process that has already compared schema and code. Django sets the
        # attribute.
        if self._called_from_command_line:  # type: ignore[attr-defined]
            try:
                schema.check()
            except schema.OtherRelease as error:
                raise CommandError(error.detail) from error
            except OperationalError as error:
                raise CommandError(f"The database does not answer: {error}") from error
        return super().execute(*args, **options)
