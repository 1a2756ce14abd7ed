"""Export the evaluations of a board, for the organiser's own analysis."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import Board
from leaderboard.services.exports.csv_json import write_csv
from leaderboard.services.exports.evaluations import evaluation_rows


class Command(ServiceCommand):
    help = "Write every evaluation of a leaderboard, at its feedback level, as CSV."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        board = Board.objects.filter(slug=options["slug"]).first()
        if board is None:
            raise CommandError(f"There is no leaderboard {options['slug']}.")
        rows = list(evaluation_rows(board))
        out: Path | None = options["out"]
        try:
            if out:
                with out.open("w", encoding="utf-8", newline="") as file:
                    file.writelines(write_csv(rows))
            else:
                self.stdout.writelines(write_csv(rows))
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror or error}") from error
        if out:
            self.stderr.write(f"{len(rows):,} evaluation(s) in {out}")
