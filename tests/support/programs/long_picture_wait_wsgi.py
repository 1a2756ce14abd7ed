"""Serve Wardboard with a long wait for pictures, for slow machines."""

from leaderboard.wsgi import application

# After the application: it sets Django up.
from leaderboard.services.pictures import render_limit  # isort: skip

__all__ = ["application"]

render_limit._PATIENCE_OF_PICTURES = 120
