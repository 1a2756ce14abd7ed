"""Create a token on the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import OF_SENDERS, Board, Scope, User
from leaderboard.services.accounts import create_token
from leaderboard.services.text import validate_email_address

_MOST_DAYS = 36_500


class Command(ServiceCommand):
    help = "Print a new token of a person, whose account is made when there is none (without a password)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="command line")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            help="what it may be used for; several times for several (all but organise)",
        )
        parser.add_argument("--benchmark", help="slug of the only leaderboard that it is good for (all)")
        parser.add_argument("--days", type=int, default=90, help="until it expires (90)")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].lower()
        try:
            validate_email(email)
            validate_email_address(email)
        except ValidationError as error:
            raise CommandError(f"{email}: {' '.join(error.messages)}") from error
        if not 1 <= options["days"] <= _MOST_DAYS:
            raise CommandError(f"--days takes 1 to {_MOST_DAYS}")
        board = Board.objects.without_references().filter(slug=options["benchmark"]).first()
        if options["benchmark"] and board is None:
            raise CommandError(f"--benchmark: there is no leaderboard {options['benchmark']}")
        scopes = [Scope(value) for value in options["scope"] or OF_SENDERS]
        user = User.objects.filter(email=email).first() or User.objects.create_user(email)
        _, text = create_token(
            user=user, name=options["name"][:80], days=options["days"], scopes=scopes, board=board
        )
        self.stdout.write(text)
