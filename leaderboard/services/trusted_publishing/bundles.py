"""Verify the Sigstore bundle of an uploaded file, offline, against the trusted root that the operator set."""

import hashlib
import logging
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.utils.translation import gettext

from leaderboard.models import CiJob, FileSignature, Team
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.files import reading_turn
from leaderboard.services.files.store import StoredFile
from leaderboard.services.trusted_publishing.certificates import (
    BundleRefused,
    read_signer,
    refuse_other_teams,
)
from wardboard.scoring.reading.limits import MIB

if TYPE_CHECKING:
    from leaderboard.services.trusted_publishing.sigstore_library import BundleVerifier

logger = logging.getLogger(__name__)

LARGEST = MIB  # bytes of a bundle; usual ones have 5,000 to 15,000


class _RootUnusable(Exception):
    """The trusted root cannot be used; the text says why."""


def is_offered() -> bool:
    """Return whether the operator set a trusted root."""
    return bool(settings.SIGSTORE_TRUSTED_ROOT)


def verify_bundle(raw: bytes, *, file: StoredFile, team: Team, job: CiJob | None) -> FileSignature:
    """Return what a bundle proves of a file, not saved yet. Raises FactsInvalid with the problem, and Busy.

    Nothing that the bundle names is fetched.

    file: as it was sent. team: whose submission it will be. job: that sends it; None for an account
    """
    try:
        if len(raw) > LARGEST:
            raise BundleRefused(
                "too-large",
                gettext("The bundle is larger than 1 MB."),
                gettext("Send the bundle alone, not the signed file."),
            )
        verifier = _verifier()
        # A verification takes milliseconds, as the size of all that it reads is limited.
        with reading_turn.take():
            verified = verifier.verify(raw, _wanted(file))
        signer = read_signer(verified.certificate)
        refuse_other_teams(signer, team=team, job=job)
    except BundleRefused as refused:
        raise FactsInvalid([refused.problem]) from None
    return FileSignature(
        **{name: getattr(signer, name) for name in signer.__dataclass_fields__},
        signed_at=verified.signed_at,
        bundle=raw,
        bundle_sha256=hashlib.sha256(raw).hexdigest(),
    )


def _wanted(file: StoredFile) -> list[Collection[str]]:
    """Return sets of digests; a bundle signs the file if it signs all of one set."""
    whole = [file.sha256]
    runs = {run.sha256 for run in file.runs}
    return [whole, runs] if runs else [whole]


def check_trusted_root(**_: object) -> list[CheckMessage]:
    """Check that the trusted root of Sigstore can be read, where one is set."""
    if not is_offered():
        return []
    try:
        _load_verifier()
    except _RootUnusable as error:
        return [Error(str(error), hint="Until then, files with bundles are refused.", id="wardboard.E004")]
    return []


def _verifier() -> "BundleVerifier":
    try:
        if is_offered():
            return _load_verifier()
    except _RootUnusable as error:
        logger.error("%s", error)
    raise BundleRefused(
        "not-offered",
        gettext("This service cannot verify Sigstore bundles."),
        gettext("Leave it out; the operator can set SIGSTORE_TRUSTED_ROOT."),
    )


def _load_verifier() -> "BundleVerifier":
    """Return the verifier of the present trusted root. Raises _RootUnusable."""
    path = Path(settings.SIGSTORE_TRUSTED_ROOT)
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise _RootUnusable(f"SIGSTORE_TRUSTED_ROOT names no file: {path}") from error
    return _verifier_of(path, changed)


@lru_cache(maxsize=1)
def _verifier_of(path: Path, changed: int) -> "BundleVerifier":
    try:
        # It takes 20 MB, which a process without bundles saves.
        from leaderboard.services.trusted_publishing.sigstore_library import (  # noqa: PLC0415
            BundleVerifier,
            RootInvalid,
        )
    except ImportError as error:
        raise _RootUnusable(
            f"SIGSTORE_TRUSTED_ROOT needs the extra `sigstore`, requirements-sigstore.lock: {error}"
        ) from error
    try:
        return BundleVerifier(path)
    except RootInvalid as error:
        raise _RootUnusable(f"SIGSTORE_TRUSTED_ROOT is no trusted root of Sigstore: {error}") from error
