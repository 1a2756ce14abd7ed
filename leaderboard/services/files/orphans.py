"""Put files that no row names into quarantine, and remove them a month later.

Such files are left by requests that were interrupted. They would also be left by a mistake: a database
restored from an old backup. So nothing that no row names is removed at once.
"""

import logging
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

from leaderboard.models import Status, Submission
from leaderboard.services.files import installation, store
from leaderboard.services.files.installation import OtherInstallation

logger = logging.getLogger(__name__)

# Longer than any upload takes from its first byte to its row.
_ORPHANED_AFTER = timedelta(hours=24)
_GIVEN_UP_AFTER = timedelta(days=14)
_REMOVED_AFTER = timedelta(days=30)
_CHECKED_EVERY = timedelta(hours=1)
# At most one file in twenty is moved, or removed, in one run; of a small store, these many.
_LARGEST_SHARE, _FEW = 20, 20
_BATCH = 500  # files looked up in one query
_NAMED_IN_LOG = 10

# The status, moved_at and keep_originals of the row that names a file.
_Owner = tuple[str, datetime, bool]


def clear_when_due() -> None:
    """Do what `clear` does, unless a process of this installation has within the last hour."""
    checked = store.folder() / "checked"
    now = timezone.now()
    if checked.exists() and checked.stat().st_mtime > (now - _CHECKED_EVERY).timestamp():
        return
    clear()
    # The folder may be missing: then the two do not match, and `clear` has logged it.
    if checked.parent.exists():
        checked.touch()


def clear() -> None:
    """Move files that no row names to quarantine, bring back those that one names, remove what is due.

    Files that their row needs no longer are removed: originals that the leaderboard does not keep, and
    files of submissions that were rejected or given up. Logs an error, and touches nothing, where folder
    and database belong to different installations.
    """
    try:
        installation.check()
    except OtherInstallation as error:
        logger.error("no file was moved or removed. %s", error.detail)
        return
    now = timezone.now()
    limit = max(_FEW, sum(1 for _ in store.paths()) // _LARGEST_SHARE)
    unnamed = []
    for path, owner in _owners(list(store.paths_older_than(now - _ORPHANED_AFTER))):
        if path.suffix == ".new":
            # Part of a copy, whose source is still there.
            path.unlink(missing_ok=True)
        elif owner is None:
            unnamed.append(path)
        elif _is_done_with(path, owner, now):
            path.unlink(missing_ok=True)
    _move(unnamed, limit)
    _look_after_quarantine(now, limit)


def _move(paths: Sequence[Path], limit: int) -> None:
    if not paths:
        return
    store.quarantine().mkdir(exist_ok=True)
    for path in paths[:limit]:
        # Another process may be doing the same.
        with suppress(FileNotFoundError):
            # The time of the move counts from now on.
            os.utime(path)
            path.rename(store.quarantine() / path.name)
    logger.warning(
        "%d files that no row names were moved to %s, %d are left for later: %s",
        len(paths[:limit]),
        store.quarantine(),
        len(paths[limit:]),
        _names(paths[:limit]),
    )


def _look_after_quarantine(now: datetime, limit: int) -> None:
    due = []
    for path, owner in _owners(list(store.paths(store.quarantine()))):
        with suppress(FileNotFoundError):
            if owner is not None:
                path.rename(store.folder() / path.name)
                logger.warning("%s came back from quarantine: a row names it", path.name)
            elif path.stat().st_mtime < (now - _REMOVED_AFTER).timestamp():
                due.append(path)
    for path in due[:limit]:
        path.unlink(missing_ok=True)
    if due:
        logger.warning(
            "%d files were removed after 30 days in quarantine: %s", len(due[:limit]), _names(due[:limit])
        )


def _owners(paths: Sequence[Path]) -> Iterator[tuple[Path, _Owner | None]]:
    """Yield each path with the row that names it; None where no row does."""
    for start in range(0, len(paths), _BATCH):
        batch = [(path, store.file_id_of(path)) for path in paths[start : start + _BATCH]]
        rows = Submission.objects.filter(stored_as__in={file_id for _, file_id in batch})
        owners: dict[uuid.UUID | None, _Owner] = {
            row[0]: row[1:]
            for row in rows.values_list("stored_as", "status", "moved_at", "benchmark__keep_originals")
        }
        for path, file_id in batch:
            yield path, owners.get(file_id)


def _is_done_with(path: Path, owner: _Owner, now: datetime) -> bool:
    """Return whether the row that names a file needs it no longer."""
    status, moved_at, keeps_originals = owner
    if status in (Status.FAILED, Status.CANCELLED):
        # If the same bytes come again, scoring continues with this file; after so long it may start over.
        return moved_at < now - _GIVEN_UP_AFTER
    return status == Status.REJECTED or (
        status == Status.SCORED and not keeps_originals and store.is_original(path)
    )


def _names(paths: Sequence[Path]) -> str:
    names = [path.name for path in paths[:_NAMED_IN_LOG]]
    return ", ".join(names) + (" ..." if len(paths) > _NAMED_IN_LOG else "")
