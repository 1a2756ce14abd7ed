"""The collected static files, and whether they are those of this release."""

import hashlib
import json
import logging
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

from django.contrib.staticfiles.finders import find, get_finders
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage, staticfiles_storage
from django.core.files.base import ContentFile
from whitenoise.storage import (  # type: ignore[import-untyped]
    CompressedManifestStaticFilesStorage,
)

logger = logging.getLogger(__name__)

_FIX = "Run `manage.py collectstatic --noinput`, then start again."


class ReleaseStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # no types
    """Store static files under names with a digest of their content, and note the release that they are of.

    A file that was never collected has its plain name: a picture is missing then, not the page.
    """

    _RELEASE = "release.json"

    def stored_name(self, name: str) -> str:
        try:
            return str(super().stored_name(name))
        except ValueError:
            _warn_once(name)
            return name

    def save_manifest(self) -> None:
        super().save_manifest()
        # After the manifest: where the two are of one release, no entry is missing.
        note = json.dumps({"digest": digest_of_sources()}).encode()
        if self.exists(self._RELEASE):
            self.delete(self._RELEASE)
        self._save(self._RELEASE, ContentFile(note))

    def read_release(self) -> str | None:
        """Return the digest of the files that were collected, None if there is none."""
        try:
            with self.open(self._RELEASE) as file:
                return str(json.load(file)["digest"])
        except (FileNotFoundError, ValueError, KeyError):
            return None


def check_at_start() -> None:
    """End the process where the collected static files are not those of this release."""
    # The lazy object for the storage that templates use; the storage is created at its first use.
    storage = cast("Any", staticfiles_storage)
    if not isinstance(storage, ManifestStaticFilesStorage):
        return
    assert isinstance(storage, ReleaseStaticFilesStorage)
    if (digest := storage.read_release()) is None:
        reason = f"There are no collected static files in {storage.location}."
    elif digest != digest_of_sources():
        reason = f"The static files in {storage.location} are of another release."
    else:
        return
    raise SystemExit(f"Wardboard does not start. {reason} {_FIX}")


def digest_of_sources() -> str:
    """Return a digest of the names and contents of the static files of this release."""
    digest = hashlib.sha256()
    for name, path in sorted(_sources()):
        with open(path, "rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
        digest.update(len(name).to_bytes(4) + name.encode() + content)
    return digest.hexdigest()


def _sources() -> Iterator[tuple[str, Path]]:
    """Yield each file by the name that it is collected under; of two, the first is collected."""
    seen = set()
    for finder in get_finders():
        for path, storage in finder.list(["CVS", ".*", "*~"]):
            name = str(Path(getattr(storage, "prefix", None) or "") / path)
            if name not in seen:
                seen.add(name)
                yield name, Path(storage.path(path))


@cache
def _warn_once(name: str) -> None:
    # WhiteNoise also asks for names that no file has.
    if find(name):
        logger.error("the static file %s was not collected; pages lack it. %s", name, _FIX)
