"""Find out what files hold of the traces of their runs, where it is not known yet."""

from typing import Any

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import Board
from leaderboard.services.files.traces import read_missing_traces
from leaderboard.services.record import events


class Command(ServiceCommand):
    help = (
        "Read the files that were scored before what they hold of the traces of their runs was kept, and "
        "store the traces of those that are kept as uploaded. "
        "Files that are scored or rescored need no such command."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        result = read_missing_traces()
        if result.read:
            # So that no cached page goes without.
            for board in Board.objects.without_references():
                events.touch(board=board)
        self.stdout.write(f"read: {result.read}, not in the store: {result.gone}, stored: {result.stored}")
