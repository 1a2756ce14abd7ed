"""Rename a team, or give it an owner, where nobody in it can."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import Team, User
from leaderboard.services.teams import members


class Command(ServiceCommand):
    help = "Rename a team, or make someone its owner. Its members do both on their pages while they can."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("team", help="its short name, or the email address of whose own team it is")
        parser.add_argument("--rename", metavar="NAME", help="as leaderboards show it from now on")
        parser.add_argument("--owner", metavar="EMAIL", help="who owns it too, in the team already or not")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["team"].lower()
        team = (Team.objects.filter(owner_alone__email=name) or Team.objects.filter(handle=name)).first()
        if team is None:
            raise CommandError(f"There is no team {options['team']}.")
        if options["owner"]:
            user = User.objects.filter(email=options["owner"].lower()).first()
            if user is None:
                raise CommandError(f"{options['owner']} has no account")
            members.make_owner(team=team, user=user)
        if options["rename"]:
            members.change_name(team=team, name=options["rename"])
        owners = User.objects.filter(memberships__team=team, memberships__role="owner")
        emails = owners.order_by("email").values_list("email", flat=True)
        self.stdout.write(f"{team}: {', '.join(emails)}")
