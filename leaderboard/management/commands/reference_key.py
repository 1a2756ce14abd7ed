"""Reveal the key of a commitment to reference answers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import ReferenceRevision
from leaderboard.services.judging.references import reveal_key


class Command(ServiceCommand):
    help = (
        "Print the key of the commitment to the reference answers of a leaderboard. Publish it together with "
        "them: with the key and all answers but one, anyone can find the last by guessing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--revision", type=int, help="its number; by default the newest")

    def handle(self, *args: Any, **options: Any) -> None:
        revisions = ReferenceRevision.objects.without_references().filter(board__slug=options["slug"])
        if options["revision"]:
            revisions = revisions.filter(number=options["revision"])
        revision = revisions.order_by("-number").first()
        key = reveal_key(revision) if revision else ""
        if revision is None or not key:
            raise CommandError("There is no such leaderboard, no such revision, or no commitment to it.")
        self.stdout.write(f"revision    {revision.number}")
        self.stdout.write(f"commitment  {revision.commitment}")
        self.stdout.write(f"key         {key}")
