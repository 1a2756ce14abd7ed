"""Remove the second factor of someone who has lost it."""

from argparse import ArgumentParser
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import User


class Command(ServiceCommand):
    help = "Remove the authenticator app, the passkeys and the recovery codes of an account."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email=options["email"].lower()).first()
        if user is None:
            raise CommandError(f"{options['email']} has no account")
        removed, _ = Authenticator.objects.filter(user=user).delete()
        self.stdout.write(f"{user.email}: {removed} removed; the password alone signs in")
