"""Erase a name from the public record."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.services.record import erase

_SHORTEST = 3


class Command(ServiceCommand):
    help = (
        "Erase every name, reason and other text that holds TEXT from the log of all leaderboards, from "
        "past tables and from the reasons of results. The chain of events still verifies. Without --yes, "
        "print what would be erased."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("text", help="the name, as it is shown; upper or lower case")
        parser.add_argument("--yes", action="store_true", help="erase it; nobody can undo this")

    def handle(self, *args: Any, **options: Any) -> None:
        text = options["text"].strip()
        if len(text) < _SHORTEST:
            raise CommandError(f"Give at least {_SHORTEST} characters: a shorter text is in too many names.")
        if places := erase.shown_today(text):
            listed = "\n  ".join(places)
            raise CommandError(
                f"The text is shown today. Change or end these, then erase what the log keeps:\n  {listed}"
            )
        erasure = erase.erase(text) if options["yes"] else erase.find(text)
        boards = ", ".join(erasure.boards) or "none"
        state = "erased" if options["yes"] else "would be erased; run it again with --yes"
        held = f"{erasure.events} events, {erasure.rows} past rows, reasons of {erasure.results} results"
        self.stdout.write(f"{held}, on: {boards}: {state}")
