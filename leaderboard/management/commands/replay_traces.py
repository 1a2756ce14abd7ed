"""Compare the responses in the traces of a leaderboard with a recorded FHIR server."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import Board
from leaderboard.services.errors import StorageAway
from leaderboard.services.traces.replay import replay_traces
from wardboard.scoring.fhir import RecordingInvalid


class Command(ServiceCommand):
    help = (
        "Answer each GET in the stored traces again from a recording, and keep with each submission how many "
        "responses differ, for its team and organisers. Nothing of the recording is kept."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--fhir-recording", required=True, type=Path, metavar="FILE", help="as record_fhir writes it"
        )
        parser.add_argument("--submission", type=UUID, metavar="ID", help="only this one")

    def handle(self, *args: Any, **options: Any) -> None:
        board = Board.objects.without_references().filter(slug=options["slug"]).first()
        if board is None:
            raise CommandError(f"There is no leaderboard {options['slug']}.")
        done = 0
        try:
            for submission, found in replay_traces(
                board, options["fhir_recording"], submission_id=options["submission"]
            ):
                done += 1
                self.stdout.write(
                    f"{submission.pk}: {found.gets} GETs, {found.recorded} in the recording, "
                    f"{found.same} same, {found.different} different"
                )
        except (OSError, RecordingInvalid) as error:
            raise CommandError(str(error)) from error
        except StorageAway as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"compared: {done}")
