"""Whether all that the service needs to score files is there: what probes and monitoring ask."""

import logging
import os
import shutil
import uuid
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, connection, transaction
from django.db.models import Min, Q
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.database.sqlite import lost_files
from leaderboard.models import RunningProcess, SweepTimes, Work
from leaderboard.models.emails import EMAILS
from leaderboard.monitoring.withheld import describe
from leaderboard.services.errors import StorageAway
from leaderboard.services.files import installation
from leaderboard.services.health.queues import processes_by_lane

logger = logging.getLogger(__name__)

_LOG_LOST = "its write-ahead log was removed while the service ran; the log says what to do"
_NEEDS_WRITES = "not possible while the database accepts no writes"
_OTHERS = "the uploads belong to another database, or a copy of this one"
NOT_KNOWN = "not known without the database"
# By the code of PostgreSQL's error. That it limits temporary files (53400) says nothing about its disk.
_REFUSALS = {
    "42501": "its role lacks rights on the tables; the log says on which",
    "53100": "its disk is full",
    "53400": "",
    "55P03": "a table is locked",
}
# Writes 16 MB, as much as a segment of its log, into a temporary file, which is gone after the statement.
_SPILL = """
    WITH bytes AS MATERIALIZED (SELECT repeat('x', 8192) FROM generate_series(1, 2048))
    SELECT count(*) FROM bytes
"""
# Limits what follows in the transaction, and lists the tables on which the role lacks rights.
_BEGIN = """
    SELECT string_agg(relname, ', '), set_config('lock_timeout', '1s', true),
        set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)
    FROM pg_class WHERE relkind = 'r' AND relname LIKE 'leaderboard\\_%' AND pg_table_is_visible(oid)
        AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT'))
"""
_FRESH = 5  # seconds for which a process writes nothing again, however many probes ask
_cache = caches["pages"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """Why a part of the service is not ready; "" for a part that is. No reason has a name or an address."""

    database: str
    storage: str
    workers: str
    sweep: str
    mail: str

    @property
    def is_ready(self) -> bool:
        """Whether nothing is missing that files need to be taken and scored: they need no mail."""
        return not any(why for part, why in asdict(self).items() if part != "mail")


def read_readiness() -> Readiness:
    """Ask database, disk and storage, and look for signs of life of workers and of the sweep."""
    try:
        row = SweepTimes.objects.annotate(now=Now()).values_list("ended_at", "now").first()
        missing = [lane for lane, count in processes_by_lane().items() if not count]
        workers = f"no process works on the lanes: {', '.join(missing)}" if missing else ""
        parts = {"workers": workers, "sweep": _why_not_swept(*row or (None, None)), "mail": why_no_mail()}
        if database := _why_not_written():
            # Neither heartbeats nor sweeps can be noted.
            parts |= {"workers": _NEEDS_WRITES, "sweep": _NEEDS_WRITES}
    except DatabaseError as error:
        database, parts = _explain(error), dict.fromkeys(("workers", "sweep", "mail"), NOT_KNOWN)
    return Readiness(database=database, storage=_why_not_stored(), **parts)


def _why_not_written() -> str:
    """Return why the database accepts no writes: it is a standby, say, or has lost its log. "" if it does."""
    if connection.vendor != "postgresql":
        return _LOG_LOST if lost_files.has_lost(str(connection.settings_dict["NAME"])) else ""
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        if cursor.fetchone() == ("on",):
            return "is read-only"
    reason: str | None = _cache.get_or_set("why-not-written", _try_to_write, _FRESH)
    return reason or ""


def _try_to_write() -> str:
    """Write to PostgreSQL what leaves nothing behind; return why it cannot be done, "" if it can."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_BEGIN)
            if lacking := cursor.fetchone()[0]:
                logger.warning("the role of DATABASE_URL lacks rights on %s", lacking)
                return _REFUSALS["42501"]
            # What the workers take their work from, and what their heartbeats write.
            Work.objects.filter(pk=uuid.uuid4()).update(attempts=0)
            RunningProcess.objects.create(name="readiness", seen_at=timezone.now())
            # Such a row finds room on a page of its table while the disk is full.
            cursor.execute(_SPILL)
            transaction.set_rollback(True)
    except DatabaseError as error:
        return _explain(error)
    return ""


def _explain(error: DatabaseError) -> str:
    """Log an error of the database; return what it says about it, without a name or an address."""
    logger.warning("the database refuses: %s", describe(error))
    return _REFUSALS.get(getattr(error.__cause__, "sqlstate", None) or "", "does not answer")


def _why_not_swept(swept_at: datetime | None, now: datetime | None) -> str:
    if swept_at is None or now is None:
        return "no sweep has come to its end yet"
    # A time in the future (the clock was set back) is as useless as one long ago.
    seconds = abs((now - swept_at).total_seconds())
    # A sweep is late after so many leases: others have tried several times by then.
    return f"the last one ended {seconds:.0f} seconds ago" if seconds > 3 * settings.LEASE_SECONDS else ""


def why_no_mail() -> str:
    """Return why emails wait; "" while the mail server takes some, and where there is none."""
    if not settings.NOTIFIES:
        return ""
    # An email that was never tried is late after so long: each process looks for them within half a minute.
    is_late = Q(attempts__gt=0) | Q(due_at__lt=timezone.now() - timedelta(minutes=2))
    late = [model.objects.filter(is_late, due_at__isnull=False, sent_at=None) for model in EMAILS]
    times = [rows.aggregate(since=Min("created_at"))["since"] for rows in late]
    since = min(filter(None, times), default=None)
    # One address that the server refuses says nothing about the others.
    if since is None or any(model.objects.filter(sent_at__gte=since).exists() for model in EMAILS):
        return ""
    return f"no email was sent for {(timezone.now() - since).total_seconds():.0f} seconds, and some wait"


def _why_not_stored() -> str:
    try:
        # Where a bucket keeps the files, they arrive here.
        folder = Path(settings.UPLOADS)
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        logger.warning("the folder of uploads cannot be read: %s", error)
        return "the folder of uploads cannot be read"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "the folder of uploads cannot be written to"
    try:
        if installation.belongs_to_other():
            return _OTHERS
    except StorageAway:
        return "does not answer"
    except DatabaseError:
        logger.info("the uploads and the database could not be compared")
    return "" if free >= settings.UPLOAD_MIN_FREE_BYTES else "the disk has too little free space for uploads"
