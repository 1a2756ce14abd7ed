"""Run workers, which do the work of the lanes in processes of their own."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from leaderboard import checks
from leaderboard.management import workers
from leaderboard.services.background import Lane

# Statistics are seldom urgent, and take the processor for long.
_PROCESSES = {Lane.SHORT: 2, Lane.LONG: 2, Lane.STATISTICS: 1}


class Command(BaseCommand):
    help = "Run workers until they are asked to end; WORKERS=1 has the web server leave the work to them."

    # Django's own would load all pages.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--lanes", default=",".join(Lane), help="by default all: %(default)s")
        parser.add_argument("--processes", type=int, help="for each lane; by default 2, and 1 for statistics")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lanes = [Lane(name) for name in options["lanes"].split(",")]
        except ValueError as error:
            raise CommandError(f"{error}: the lanes are {', '.join(Lane)}") from error
        processes = options["processes"]
        if processes is not None and processes < 1:
            raise CommandError(f"--processes {processes}: each lane needs one at least")
        checks.check_at_start()
        if not settings.WORKERS:
            raise CommandError("set WORKERS=1, for the web server too: without it, that does all work itself")
        workers.supervise({lane: processes or _PROCESSES[lane] for lane in lanes})
