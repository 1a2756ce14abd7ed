"""Take up submissions that a killed process left unfinished."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.services.submissions.sweep import sweep


class Command(BaseCommand):
    help = "Take up what waits or is being scored for too long; run by the service itself every 30 s."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--older-than", type=int, metavar="SECONDS", help="0: whatever is not finished")

    def handle(self, *args: Any, **options: Any) -> None:
        seconds = options["older_than"]
        count = sweep(older_than=None if seconds is None else timedelta(seconds=seconds))
        self.stdout.write(f"{count} submission(s) taken up")
