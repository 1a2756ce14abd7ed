"""Django settings, a module for each subject. A deployment changes only environment variables.

docs/operators-settings.md lists the variables.
"""

from leaderboard.settings.accounts import *  # noqa: F403
from leaderboard.settings.api import *  # noqa: F403
from leaderboard.settings.base import *  # noqa: F403
from leaderboard.settings.database import *  # noqa: F403
from leaderboard.settings.judging import *  # noqa: F403
from leaderboard.settings.monitoring import *  # noqa: F403
from leaderboard.settings.uploads import *  # noqa: F403
