"""The folder and the limits of uploaded files."""

from typing import Any

from leaderboard import env
from leaderboard.settings.base import DATA
from wardboard.scoring.reading.limits import MIB

# The bucket of S3-compatible storage that keeps the files, as arguments of services.files.bucket.Bucket;
# empty where they are kept in a folder. boto3 finds keys and region, by AWS_ACCESS_KEY_ID and the like.
UPLOADS_S3: dict[str, Any] = (
    {
        "bucket_name": env.text("UPLOADS_S3_BUCKET"),
        "prefix": "wardboard/",
        "endpoint_url": env.url("UPLOADS_S3_ENDPOINT") or None,
        # Seconds for a connection, and of silence; each request is tried twice.
        "connect_timeout": 3,
        "read_timeout": 10,
    }
    if env.text("UPLOADS_S3_BUCKET")
    else {}
)
# Web servers and workers must share this folder, unless a bucket keeps the files: then they arrive in it, and
# each machine has its own.
UPLOADS = DATA / ("spool" if UPLOADS_S3 else "uploads")
# Each benchmark has limits; this overrides them all (fields of wardboard.scoring.reading.limits.Limits).
UPLOAD_LIMITS: dict[str, int] = {}
# Larger files are checked in the background: a request that reads one occupies its thread for too long.
CHECK_AT_ONCE_BYTES = 32 * MIB
# The largest file that is checked for someone without an account.
ANONYMOUS_CHECK_BYTES = 64 * MIB
# Seconds that a check of a file may take, as it occupies a thread; what is sent in may take `Limits.seconds`,
# in the background.
CHECK_SECONDS_ANONYMOUS = 4
CHECK_SECONDS = 60
# Seconds of checking, and of scoring, after which a request passes its submission on to the background.
REQUEST_SECONDS = 5
# An upload that would leave less free space is refused: the database needs room too.
UPLOAD_MIN_FREE_BYTES = 1024 * MIB
# What the files and reports of a team may take on all leaderboards together; 0 for no limit.
UPLOAD_TEAM_BYTES = env.number("UPLOAD_TEAM_BYTES", 5 * 1024 * MIB)
# Files that wait to be submitted (drafts): for how long, and how much of them is kept: at most of a network
# address without an account, of all such visitors together, and of an account.
DRAFT_HOURS = 24
DRAFT_ADDRESS_FILES = 10
DRAFT_ADDRESS_BYTES = 256 * MIB
DRAFT_VISITORS_BYTES = 4 * 1024 * MIB
DRAFT_ACCOUNT_BYTES = 2 * 1024 * MIB
# What an import of reference answers in the browser may take: the files as they are sent, and each unpacked.
# A request reads them; the command imports larger ones.
REFERENCE_UPLOAD_BYTES = 64 * MIB
REFERENCE_UNPACKED_BYTES = 256 * MIB
FILE_UPLOAD_HANDLERS = ["leaderboard.http.uploads.StoreUploadHandler"]
# The form fields beside the file.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * MIB
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
# The runs of a submission, and one too many, which is reported.
DATA_UPLOAD_MAX_NUMBER_FILES = 12
