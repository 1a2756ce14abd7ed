"""The service, whose pictures wait for each other however slow the machine is."""

from leaderboard.wsgi import application

# After the application: it sets Django up.
from leaderboard.services import turns  # isort: skip

__all__ = ["application"]

turns._PATIENCE_OF_PICTURES = 120
