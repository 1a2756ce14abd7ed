"""The team that a file is submitted for: chosen in the form by those who are in several."""

from collections.abc import Mapping

from django.http import HttpRequest

from leaderboard.models import System, Team, User
from leaderboard.services.accounts import find_team
from leaderboard.services.teams.members import find_shared, team_with_system
from leaderboard.services.text import read_key


def chosen_team(request: HttpRequest, user: User, typed: Mapping[str, str]) -> Team | None:
    """Return the team that was chosen; the person's own without a choice, None where there is none yet.

    typed: what was typed into the form before. A link that names a system means the team of that system.
    Raises NotFound for a team that the person is not in.
    """
    handle = request.POST.get("team", typed.get("team", request.GET.get("team", "")))
    if handle:
        return find_shared(user, handle)
    system = request.GET.get("system", "")
    if "team" not in request.POST and "team" not in typed and (key := read_key(system)):
        return team_with_system(user, key)
    return find_team(user)


def find_own_system(user: User, key: str) -> System | None:
    """Return a system of any of the person's teams by its primary key; None for others and for no number."""
    if not (system := read_key(key)):
        return None
    return System.objects.filter(team__memberships__user=user, pk=system).first()
