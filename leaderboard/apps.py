"""The Django application."""

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    """Registers the Celery tasks, so that a process without a broker can run them too."""

    name = "leaderboard"

    def ready(self) -> None:
        # Imported here: tasks need the models, which are loaded only now.
        from leaderboard import tasks  # noqa: F401, PLC0415
