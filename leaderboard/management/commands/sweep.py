"""Take up submissions that a killed process left unfinished."""

from argparse import ArgumentParser
from typing import Any

from leaderboard.management.service_command import ServiceCommand
from leaderboard.services.notifications.send import notify
from leaderboard.services.processes import heartbeat
from leaderboard.services.submissions.sweep import sweep


class Command(ServiceCommand):
    help = "Take up what nobody works on; each process of the service does so itself, in turn."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="also what a living process works on")

    def handle(self, *args: Any, **options: Any) -> None:
        # Without workers the command does the work itself, which may take longer than a lease lasts.
        with heartbeat.renewing():
            count = sweep(takes_all=options["all"])
        notify()
        self.stdout.write(f"{count} submission(s) taken up")
