"""Keep a database and the storage of its uploads together: each carries the same key.

To a service with another database (a forgotten DATABASE_URL, a restore that stopped half-way, a second
installation on the same folder) every upload would look like the rest of an interrupted request.
"""

import logging
import uuid
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, DatabaseError

from leaderboard.models import Draft, Installation, Status, Submission
from leaderboard.services.errors import ServiceError, StorageAway
from leaderboard.services.files import store
from leaderboard.services.files.storage import storage

logger = logging.getLogger(__name__)

_NAME = "installation"
_KEY_LENGTH = 100  # bytes that are read at most
# Newest rows whose files are looked for, where the folder carries no key.
_ROWS = 200
_WITH_FILE = (Status.RECEIVED, Status.QUEUED, Status.SCORING, Status.INCOMPLETE, Status.SCORED)


class OtherInstallation(ServiceError):
    """The storage of uploads belongs to another database, or lacks the files of this one."""

    code = "other-installation"


def check() -> None:
    """Check that the folder belongs to this database; a new folder is given its key.

    Raises OtherInstallation, with what an operator can do.
    """
    key = Installation.get().key
    folder_key = _read()
    if folder_key is None:
        _check_unmarked()
        _write(key)
        folder_key = _read()
    if folder_key != key:
        raise OtherInstallation(
            f"The uploads in {storage().label} belong to another database: they carry the key {folder_key}, "
            f"and this database has {key}. Check DATABASE_URL and WARDBOARD_DATA. "
            "If you restored a backup, `manage.py pair_uploads` compares the two and can join them."
        )


def check_at_start() -> None:
    """Check as `check` does, and end the process where it fails.

    A database or a storage that cannot be asked yet does not end it: every sweep checks again before it moves
    a file. One that refuses does: its settings are wrong.
    """
    try:
        check()
    except OtherInstallation as error:
        raise SystemExit(f"Wardboard does not start. {error.detail}") from error
    except StorageAway as error:
        if error.is_refusal:
            raise SystemExit(
                f"Wardboard does not start: {storage().label} refuses, for the reason in the log. Check "
                "UPLOADS_S3_BUCKET, UPLOADS_S3_REGION and the keys."
            ) from error
    except DatabaseError as error:
        logger.warning("the database and the uploads could not be compared: %s", error)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCounts:
    """Count uploads that are known on both sides, and on one side only."""

    both: int
    only_in_database: int
    only_in_folder: int


def compare() -> FileCounts:
    """Compare the uploads that the database needs with those in the folder, without changing either."""
    drafts = _files_of_drafts()
    named = drafts.union(Submission.objects.values_list("stored_as", flat=True))
    stored = {store.file_id_of(entry.name) for entry in store.entries()}
    return FileCounts(
        both=len(stored & named),
        only_in_database=len((needed_files() | drafts) - stored),
        only_in_folder=len(stored - named),
    )


def needed_files(using: str = DEFAULT_DB_ALIAS) -> set[uuid.UUID]:
    """Return the ids of the files without which a submission of the database cannot be scored."""
    rows = Submission.objects.using(using).filter(status__in=_WITH_FILE)
    return set(rows.values_list("stored_as", flat=True))


def _files_of_drafts() -> set[uuid.UUID]:
    """Return the ids of the files that wait for their sender; one that was submitted is removed."""
    return set(Draft.objects.filter(submission=None).values_list("stored_as", flat=True))


def adopt_uploads() -> None:
    """Make the uploads those of this database: give their folder its key, whatever key it carries."""
    storage().remove([_NAME])
    _write(Installation.get().key)


def _check_unmarked() -> None:
    rows = Submission.objects.filter(status__in=_WITH_FILE).order_by("-received_at")
    ids = list(rows.values_list("stored_as", flat=True)[:_ROWS])
    stored = {store.file_id_of(entry.name) for entry in store.entries()}
    if stored.intersection(ids) or stored & _files_of_drafts():
        return
    advice = "Check DATABASE_URL and WARDBOARD_DATA, or run `manage.py pair_uploads` to join the two."
    if ids:
        raise OtherInstallation(
            f"{storage().label} has none of the last {len(ids)} files that the database names. {advice}"
        )
    if stored:
        raise OtherInstallation(
            f"{storage().label} has files of which the database knows none. "
            f"If a restore was interrupted, empty both and restore again. {advice}"
        )


def _read() -> uuid.UUID | None:
    try:
        with storage().open(_NAME) as file:
            return uuid.UUID(file.read(_KEY_LENGTH).decode(errors="replace").strip())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise OtherInstallation(
            f"{_NAME} in {storage().label} holds no key. Run `manage.py pair_uploads`."
        ) from error


def _write(key: uuid.UUID) -> None:
    """Write the key; another process may have been first."""
    storage().create(_NAME, f"{key}\n".encode())
