"""Change the data class of a leaderboard."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import Board, DataClass
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.change_settings import change_settings


class Command(ServiceCommand):
    help = "Say whether the patients' data of a leaderboard are open, or available under an agreement only."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("data_class", choices=DataClass.values)

    def handle(self, *args: Any, **options: Any) -> None:
        board = Board.objects.filter(slug=options["slug"]).first()
        if board is None:
            raise CommandError(f"There is no leaderboard {options['slug']}.")
        try:
            changed = change_settings(board=board, values={"data_class": options["data_class"]})
        except WrongState as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{board.slug}: {options['data_class']}{'' if changed else ', as before'}")
