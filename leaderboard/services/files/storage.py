"""Where uploaded files are kept, by their names: a folder, or a bucket of S3-compatible storage.

Names have no slash, except that those in quarantine begin with the name of a folder.
"""

import os
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from leaderboard.services.files.folder import Folder


def storage() -> Folder:
    """Return the storage that the settings name."""
    return _bucket() if settings.UPLOADS_S3 else Folder(Path(settings.UPLOADS))


@cache
def _bucket() -> Folder:
    try:
        # Import them here: only this deployment needs the libraries.
        from leaderboard.services.files.bucket import Bucket  # noqa: PLC0415
    except ImportError as error:
        raise ImproperlyConfigured(
            "UPLOADS_S3_BUCKET needs django-storages and boto3: "
            f"install requirements/requirements-s3.lock ({error})"
        ) from error
    return Bucket(Path(settings.UPLOADS), **settings.UPLOADS_S3)


# Its connections must not be shared with a process that was forked.
os.register_at_fork(after_in_child=_bucket.cache_clear)
