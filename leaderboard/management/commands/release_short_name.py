"""Let teams take again the short name of a team that ended."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.services.teams import handles


class Command(ServiceCommand):
    help = "Let teams take again the short name of a team that ended."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the whole short name, such as ward-lab")

    def handle(self, *args: Any, **options: Any) -> None:
        if not handles.release(options["name"]):
            raise CommandError(f"{options['name']} is not reserved for a team that ended.")
        self.stdout.write(f"{options['name']}: a new team can take it")
