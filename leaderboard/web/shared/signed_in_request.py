"""The request of a view behind `login_required`."""

from django.http import HttpRequest

from leaderboard.models import User


class SignedInRequest(HttpRequest):
    """A request whose user is known to be signed in; for annotations only."""

    user: User
