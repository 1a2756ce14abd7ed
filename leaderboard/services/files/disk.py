"""The local disk: room for what arrives, and names that survive a power cut."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.monitoring import metrics
from leaderboard.services import outages
from leaderboard.services.errors import NoRoom

logger = logging.getLogger(__name__)


@contextmanager
def disk_full_as_no_room() -> Iterator[None]:
    """Raise NoRoom where the disk is full, or a quota of it spent."""
    try:
        yield
    except OSError as error:
        if not outages.is_disk_full(error):
            raise
        raise _no_room() from error


def sync_folder(folder: Path) -> None:
    """Flush the names of a folder to the disk. Raises NoRoom."""
    with disk_full_as_no_room():
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _no_room() -> NoRoom:
    metrics.REFUSED.labels(NoRoom.code).inc()
    # Logged as an error for the organisers, who alone can make room.
    logger.error("an upload was refused: %s has too little room left", settings.UPLOADS)
    return NoRoom(
        _("Our disk has no room for the file at the moment. This costs no quota; please try again later.")
    )
