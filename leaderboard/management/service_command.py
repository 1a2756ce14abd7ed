"""What commands that use the service's tables have in common."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from leaderboard.services import schema
from leaderboard.services.errors import ServiceError


class ServiceCommand(BaseCommand):
    """A command that says why a use-case refuses, and does not run on the tables of another release."""

    needs_tables = True
    # The rights that no file it writes gives, besides those of the user's umask.
    withheld_rights = 0

    def execute(self, *args: Any, **options: Any) -> str | None:
        before = os.umask(0o077)
        os.umask(before | self.withheld_rights)
        try:
            # `call_command` runs inside a process that has already compared schema and code. Django sets the
            # attribute.
            if self.needs_tables and self._called_from_command_line:  # type: ignore[attr-defined]
                schema.check()
            return super().execute(*args, **options)
        except ServiceError as error:
            raise CommandError(error.detail) from error
        except OperationalError as error:
            raise CommandError(f"The database does not answer: {error}") from error
        finally:
            os.umask(before)
