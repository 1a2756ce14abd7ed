"""The service, whose pictures wait for each other however slow the machine is."""

from leaderboard.wsgi import application

# After the application: it sets Django up.
from leaderboard.services.pictures import render_limit  # isort: skip

__all__ = ["application"]

render_limit._PATIENCE_OF_PICTURES = 120
