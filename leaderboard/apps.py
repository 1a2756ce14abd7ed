"""The Django application."""

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    """Register the tasks, which the web server runs where there are no workers, and receivers of signals."""

    name = "leaderboard"

    def ready(self) -> None:
        from django.conf import settings  # noqa: PLC0415

        from leaderboard.monitoring import reporting  # noqa: PLC0415

        reporting.start(sentry_dsn=settings.SENTRY_DSN, otlp_endpoint=settings.OTLP_ENDPOINT)
        # Import them here: they need the models, which are loaded only now.
        from leaderboard import checks, tasks  # noqa: F401, PLC0415
        from leaderboard.web.accounts import receivers  # noqa: F401, PLC0415
