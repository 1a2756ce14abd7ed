"""The one format of log lines, for Django, gunicorn and Celery."""

import logging
import time

from gunicorn.glogging import Logger


class LineFormatter(logging.Formatter):
    """Format a record as `2026-11-22 09:30:00,123 INFO name: message`, in UTC."""

    converter = time.gmtime  # type: ignore[assignment]  # its argument is optional

    def __init__(self, *_: object) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")


class GunicornLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Write gunicorn's own messages in this format."""

    def setup(self, cfg: object) -> None:
        """Set up gunicorn's handlers, then their format."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(LineFormatter())
