"""Put files that no row needs into quarantine, and remove them a month later.

Such files are left by requests that were interrupted. They would also be left by a mistake: a database
restored from an old backup. So nothing is removed at once, and the log names each file that is moved.
"""

import logging
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from django.utils import timezone

from leaderboard.models import Draft, Status, Submission
from leaderboard.services.files import installation, store
from leaderboard.services.files.folder import FileEntry
from leaderboard.services.files.installation import OtherInstallation
from leaderboard.services.files.storage import storage

logger = logging.getLogger(__name__)

LOOK = "checked"  # the name of this job, as `store.do_when_due` has it
# Longer than any upload takes from its first byte to its row.
ORPHANED_AFTER = timedelta(hours=24)
REMOVED_AFTER = timedelta(days=30)
# At most one file in twenty is moved, or removed, in one run; of a small store, these many, and never more
# than the log can name.
_LARGEST_SHARE, FEW, _MOST = 20, 20, 500
_BATCH = 500  # files looked up in one query

_Files = Mapping[uuid.UUID, list[FileEntry]]


def clear() -> None:
    """Move files that no row needs to quarantine, bring back those that one needs, remove what is due.

    A row needs its files until the submission is rejected, or given up for two weeks; originals only as long
    as the leaderboard keeps them. The row gets the bytes that are left.

    Logs an error, and touches nothing, where storage and database belong to different installations.
    """
    try:
        installation.check()
    except OtherInstallation as error:
        logger.error("no file was moved or removed. %s", error.detail)
        return
    # Ages count up to the last look, by the clock of the storage: after a jump of a clock, a file that is
    # just arriving is not a day old.
    now = min(filter(None, (timezone.now(), store.done_at(LOOK))))
    files = _by_id(store.entries())
    drafts = set(Draft.objects.values_list("stored_as", flat=True))
    limit = min(_MOST, max(FEW, sum(map(len, files.values())) // _LARGEST_SHARE))
    unchanged = {
        file_id: of_id
        for file_id, of_id in files.items()
        if file_id not in drafts and all(entry.modified < now - ORPHANED_AFTER for entry in of_id)
    }
    unneeded: list[str] = []
    for of_id, owner in _owners(unchanged):
        done = {entry.name for entry in of_id if owner is None or _is_done_with(entry.name, owner, now)}
        unneeded += sorted(done)
        if owner is not None:
            size = sum(entry.size for entry in of_id if entry.name not in done)
            if owner.status != Status.REJECTED and owner.kept_bytes != size:
                # Of a rejected one its report counts, in the row; others may have moved on.
                Submission.objects.filter(pk=owner.pk, moved_at=owner.moved_at).update(kept_bytes=size)
    for name in unneeded[:limit]:
        storage().move(name, f"{store.QUARANTINE}/{name}")
        logger.warning("%s was moved to %s: no row needs it", name, store.QUARANTINE)
    if (later := len(unneeded) - limit) > 0:
        logger.warning("%d files that no row needs are left for later", later)
    _look_after_quarantine(now, limit)


def _look_after_quarantine(now: datetime, limit: int) -> None:
    due: list[str] = []
    for of_id, owner in _owners(_by_id(store.entries(store.QUARANTINE))):
        for entry in of_id:
            name = entry.name.removeprefix(f"{store.QUARANTINE}/")
            if owner is not None and not _is_done_with(name, owner, now):
                storage().move(entry.name, name)
                logger.warning("%s was moved back from quarantine: a row needs it", entry.name)
            elif entry.modified < now - REMOVED_AFTER:
                due.append(entry.name)
    for name in due[:limit]:
        storage().remove([name])
        logger.warning("%s was removed after 30 days in quarantine", name)


def _by_id(entries: Iterator[FileEntry]) -> _Files:
    files: dict[uuid.UUID, list[FileEntry]] = defaultdict(list)
    for entry in entries:
        if (file_id := store.file_id_of(entry.name)) is not None:
            files[file_id].append(entry)
    return files


def _owners(files: _Files) -> Iterator[tuple[list[FileEntry], Submission | None]]:
    """Yield the files of each id with the submission that names them; None where none does."""
    rows = Submission.objects.select_related("board").only(
        *("stored_as", "status", "moved_at", "kept_bytes", "board__data_class", "board__keep_originals")
    )
    ids = list(files)
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        owners = rows.in_bulk(batch, field_name="stored_as")
        for file_id in batch:
            yield files[file_id], owners.get(file_id)


def _is_done_with(name: str, owner: Submission, now: datetime) -> bool:
    if name.endswith(".new"):
        return True  # part of a copy, whose source is still there
    if owner.status in (Status.FAILED, Status.CANCELLED):
        # If the same bytes come again, scoring continues with this file; after so long it may start over.
        return owner.moved_at < now - timedelta(days=14)
    return owner.status == Status.REJECTED or (
        owner.status == Status.SCORED and not owner.board.keeps_files and store.goes_with_original(name)
    )
