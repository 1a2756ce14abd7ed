"""Keep a database and the storage of its uploads together: each carries the same key and the same token.

To a service with another database (a forgotten DATABASE_URL, a restore that stopped half-way, a second
installation on the same folder) every upload would look like the rest of an interrupted request. So would the
newer uploads to a copy of the same database, which has the key: hence the token, which changes every minute.
"""

import logging
import time
import uuid
from datetime import timedelta

from django.db import DatabaseError
from django.utils import timezone

from leaderboard.models import Draft, Installation, Status, StorageToken, Submission
from leaderboard.services import schema
from leaderboard.services.errors import ServiceError, StorageAway
from leaderboard.services.files import store
from leaderboard.services.files.storage import storage
from leaderboard.services.schema import OtherRelease

logger = logging.getLogger(__name__)

_NAME = "installation"
_TOKEN = "owner"
_TOKEN_LASTS = timedelta(minutes=1)
# A process that was just started renews the token only where nobody else has for this long: it may be on a
# copy that was made within the last minute, and the service on the original keeps the storage.
_YOUNG, _TOKEN_LASTS_FOR_YOUNG = timedelta(minutes=5), timedelta(minutes=3)
_started = time.monotonic()
_KEY_LENGTH = 100  # bytes that are read at most
# Newest rows whose files are looked for, where the folder carries no key.
_ROWS = 200
_WITH_FILE = (
    *(Status.RECEIVED, Status.SEALED, Status.QUEUED, Status.SCORING, Status.INCOMPLETE, Status.SCORED),
)


class OtherInstallation(ServiceError, code="other-installation"):
    """The storage of uploads belongs to another database, or lacks the files of this one."""


def check() -> None:
    """Check that the folder belongs to this database; a new folder is given its key.

    Raises OtherInstallation, with what an operator can do.
    """
    key = Installation.get().key
    folder_key = _read(_NAME)
    if folder_key is None:
        _check_unmarked()
        storage().create(_NAME, _line(key))  # another process may be first
        folder_key = _read(_NAME)
    if folder_key != key:
        raise OtherInstallation(
            f"The uploads in {storage().label} belong to another database: they carry the key {folder_key}, "
            f"and this database has {key}. Check DATABASE_URL and WARDBOARD_DATA. "
            "If you restored a backup, `manage.py pair_uploads` compares the two and can join them."
        )
    _check_token()


def _check_token() -> None:
    # Read from the storage first: when the token changes meanwhile, this one is the one before.
    found = _read(_TOKEN)
    if found is None:
        storage().create(_TOKEN, _line(StorageToken.get().token))
        found = _read(_TOKEN)
    row = StorageToken.get()
    if found not in (row.token, row.token_before):
        raise OtherInstallation(
            f"The uploads in {storage().label} belong to another copy of this database. If that one is in "
            "use, give this one a storage of its own: WARDBOARD_DATA, or UPLOADS_S3_BUCKET. If "
            "this one took its place, run `manage.py pair_uploads`, which can join the two."
        )


def belongs_to_other() -> bool:
    """Return whether the storage carries the token of another database. Raises StorageAway, DatabaseError."""
    try:
        found = _read(_TOKEN)
    except OtherInstallation:
        return True
    row = StorageToken.objects.first()
    return found is not None and row is not None and found not in (row.token, row.token_before)


def renew() -> None:
    """Change the token of both, at most once a minute, so that copies of the database know an old one only.

    Safe in several processes at once, and to be killed in: the storage always carries the present token of
    the database or the one before. Raises OtherInstallation, StorageAway.
    """
    _check_token()
    entry = storage().stat(_TOKEN)
    is_young = time.monotonic() - _started < _YOUNG.total_seconds()
    lasts = _TOKEN_LASTS_FOR_YOUNG if is_young else _TOKEN_LASTS
    if entry is not None and entry.modified > timezone.now() - lasts:
        return
    present = StorageToken.get().token
    # If a process was killed after it had changed the database, the storage gets the present token first.
    if _read(_TOKEN) == present:
        StorageToken.objects.filter(token=present).update(token=uuid.uuid4(), token_before=present)
    storage().replace(_TOKEN, lambda file: file.write(_line(StorageToken.get().token)))


def require_unused() -> None:
    """Raise OtherInstallation where a service has renewed the token of the storage in the last minutes."""
    entry = storage().stat(_TOKEN)
    if entry is not None and entry.modified > timezone.now() - timedelta(minutes=5):
        raise OtherInstallation(
            f"A service with another database has used {storage().label} within the last five minutes. Stop "
            "it, and try again five minutes later, or give this database a storage of its own."
        )


def check_at_start() -> None:
    """Check the tables, and the uploads as `check` does; end the process where one fails.

    A database or a storage that cannot be asked yet does not end it: every sweep checks again before it moves
    a file. One that refuses does: its settings are wrong.
    """
    try:
        schema.check()
        check()
    except (OtherRelease, OtherInstallation) as error:
        raise SystemExit(f"Wardboard does not start. {error.detail}") from error
    except StorageAway as error:
        if error.is_refusal:
            raise SystemExit(
                f"Wardboard does not start: {storage().label} refuses, for the reason in the log. Check "
                "UPLOADS_S3_BUCKET, AWS_DEFAULT_REGION and the keys."
            ) from error
    except DatabaseError as error:
        logger.warning("the tables and the uploads could not be compared: %s", error)


def compare() -> tuple[int, list[uuid.UUID], int]:
    """Return how many uploads both sides know, the ids that the folder lacks, and how many only it has."""
    drafts = _files_of_drafts()
    named = drafts.union(Submission.objects.values_list("stored_as", flat=True))
    stored = {store.file_id_of(entry.name) for entry in store.entries()}
    return len(stored & named), sorted((needed_files() | drafts) - stored), len(stored - named)


def needed_files() -> set[uuid.UUID]:
    """Return the ids of the files without which a submission of the database cannot be scored."""
    return set(Submission.objects.filter(status__in=_WITH_FILE).values_list("stored_as", flat=True))


def _files_of_drafts() -> set[uuid.UUID]:
    """Return the ids of the files that wait for their sender; one that was submitted is removed."""
    return set(Draft.objects.filter(submission=None).values_list("stored_as", flat=True))


def adopt_uploads() -> None:
    """Make the uploads those of this database alone: give both its key and a new token."""
    StorageToken.objects.all().delete()
    for name, value in ((_NAME, Installation.get().key), (_TOKEN, StorageToken.get().token)):
        storage().remove([name])
        storage().create(name, _line(value))


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


def _read(name: str) -> uuid.UUID | None:
    try:
        with storage().open(name) as file:
            return uuid.UUID(file.read(_KEY_LENGTH).decode(errors="replace").strip())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise OtherInstallation(
            f"{name} in {storage().label} holds no key. Run `manage.py pair_uploads`."
        ) from error


def _line(key: uuid.UUID) -> bytes:
    return f"{key}\n".encode()
