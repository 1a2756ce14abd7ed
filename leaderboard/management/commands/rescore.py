"""Rescore a leaderboard against its active revision."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import Board
from leaderboard.services.submissions.rescore import rescore


class Command(ServiceCommand):
    help = (
        "Score every scored submission of a leaderboard that was scored against another revision or grader "
        "version."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        board = Board.objects.filter(slug=options["slug"]).select_related("active_revision").first()
        if board is None or not board.is_open:
            raise CommandError(f"There is no leaderboard {options['slug']} with reference answers.")
        result = rescore(board=board)
        self.stdout.write(f"{board.slug}: {result.changed} submission(s) scored again")
        for submission, why in result.skipped.items():
            self.stderr.write(f"  {submission} was left as it is: {why}")
        if result.skipped:
            raise CommandError(f"{len(result.skipped)} submission(s) could not be scored again.")
