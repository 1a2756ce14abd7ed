"""The one module that imports the library `sigstore`, an extra: verify a bundle against a trusted root."""

import json
import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.x509 import Certificate
from django.utils.translation import gettext
from sigstore.errors import CertValidationError, Error, VerificationError
from sigstore.hashes import Hashed
from sigstore.models import Bundle, ClientTrustConfig, TrustedRoot
from sigstore.verify import Verifier
from sigstore_models.common.v1 import HashAlgorithm

from leaderboard.services.trusted_publishing.certificates import BundleRefused
from wardboard.scoring.reading.problems import quote

logger = logging.getLogger(__name__)

_STATEMENT = "application/vnd.in-toto+json"
_STATEMENT_TYPES = ("https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1")
# What an error of the library begins with -> the code of the problem.
_CODES = {
    "not enough sources of verified time": "time-missing",
    "no Timestamp Authorities": "unknown-root",
    "failed to verify SCT": "certificate-log",
    "invalid log entry": "log-entry",
    "invalid signing cert: expired": "certificate-expired",
    "Signature is invalid": "signature",
    "DSSE: invalid signature": "signature",
    "log entry": "log-entry",
    "invalid DSSE log entry": "log-entry",
    "transparency log entry": "log-entry",
    "Expected entry type": "log-entry",
    "Unsupported": "log-entry",
}


class RootInvalid(Exception):
    """A file is no trusted root; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a bundle proves. certificate: of who signed. signed_at: the earliest time that is vouched for"""

    certificate: Certificate
    signed_at: datetime


class _AnyIdentity:
    """The policy that takes every identity: `certificates` judges it afterwards."""

    def verify(self, cert: Certificate) -> None:
        """Take it."""


class BundleVerifier:
    """Verify bundles against one trusted root, without the network. Raises RootInvalid."""

    def __init__(self, root: Path) -> None:
        try:
            self._root = TrustedRoot.from_file(str(root))
            self._verifier = Verifier(trusted_root=self._root)
            self._authorities = self._root.get_fulcio_certs()
        except (Error, OSError, ValueError) as error:
            raise RootInvalid(str(error).partition("\n")[0]) from error

    def verify(self, raw: bytes, wanted: Sequence[Collection[str]]) -> Verified:
        """Return who signed a file, and when. Raises BundleRefused.

        wanted: sets of SHA-256 in hexadecimal digits; the bundle has to sign all of one set
        """
        bundle = _parse(raw)
        try:
            signed = _signed_digests(bundle)
            if not any(signed.issuperset(digests) for digests in wanted):
                raise _other_file(signed, wanted)
            self._verify(bundle, signed)
            times = self._verifier._establish_time(bundle)
        except CertValidationError as error:
            raise self._refused_certificate(bundle) from error
        except VerificationError as error:
            raise _not_verified(str(error)) from error
        except (BundleRefused, MemoryError):
            raise
        except Exception as error:
            # The library does not expect all that a bundle of a stranger may have.
            logger.info("a Sigstore bundle ended in %s", type(error).__name__)
            raise _malformed() from error
        return Verified(certificate=bundle.signing_certificate, signed_at=min(each.time for each in times))

    def _verify(self, bundle: Bundle, signed: Collection[str]) -> None:
        if bundle._inner.dsse_envelope is not None:
            self._verifier.verify_dsse(bundle, _AnyIdentity())
            return
        (digest,) = signed
        hashed = Hashed(algorithm=HashAlgorithm.SHA2_256, digest=bytes.fromhex(digest))
        self._verifier.verify_artifact(hashed, bundle, _AnyIdentity())

    def _refused_certificate(self, bundle: Bundle) -> BundleRefused:
        certificate = bundle.signing_certificate
        first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        late = [at for at in _times(bundle) if not first <= at <= last]
        if not late or not any(_is_issued_by(certificate, each) for each in self._authorities):
            return BundleRefused(
                "unknown-root",
                gettext("The certificate is not from an authority that this service trusts."),
                gettext("Sign with the Sigstore whose trusted root the operator set."),
            )
        return BundleRefused(
            "certificate-expired",
            gettext("The certificate was valid from %(first)s to %(last)s, and the log has the time %(at)s.")
            % {"first": first.isoformat(), "last": last.isoformat(), "at": late[0].isoformat()},
            gettext("Sign the file again."),
        )


def production_root(*, offline: bool) -> bytes:
    """Return the trusted root of the public Sigstore as a file. Raises RootInvalid.

    It is fetched by TUF, which starts from a root in the library. offline: take that of the library itself
    """
    try:
        root = ClientTrustConfig.production(offline=offline).trusted_root
    except (Error, OSError) as error:
        raise RootInvalid(str(error).partition("\n")[0]) from error
    return root._inner.to_json().encode()


def _parse(raw: bytes) -> Bundle:
    """Return a bundle, nothing of which is verified. Raises BundleRefused."""
    try:
        document = json.loads(raw)
        media_type = document["mediaType"]
        entries = document["verificationMaterial"].get("tlogEntries")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _malformed() from error
    if media_type not in [each.value for each in Bundle.BundleType]:
        raise BundleRefused(
            "media-type",
            gettext("The media type is “%(type)s”, which is no Sigstore bundle.")
            % {"type": quote(media_type)},
            gettext("Send a bundle of version 0.1 to 0.3: a file *.sigstore.json."),
        )
    if not entries:
        raise BundleRefused(
            "log-entry-missing",
            gettext("The bundle has no entry of a transparency log."),
            gettext("Sign with a log, as the public Sigstore does."),
        )
    try:
        return Bundle.from_json(raw)
    except Exception as error:
        # The text may repeat all of the bundle.
        logger.info("a Sigstore bundle was not read: %s", type(error).__name__)
        raise _malformed() from error


def _signed_digests(bundle: Bundle) -> set[str]:
    """Return the SHA-256 of what a bundle claims to sign. Raises BundleRefused."""
    envelope, message = bundle._inner.dsse_envelope, bundle._inner.message_signature
    if envelope is None:
        digest = message.message_digest if message else None
        if digest is None or digest.algorithm != HashAlgorithm.SHA2_256:
            raise _malformed()
        return {digest.digest.hex()}
    try:
        statement = json.loads(envelope.payload)
        is_statement = envelope.payload_type == _STATEMENT and statement["_type"] in _STATEMENT_TYPES
        digests = {subject["digest"].get("sha256") for subject in statement["subject"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_statement = False
    if not is_statement:
        raise BundleRefused(
            "statement",
            gettext("The bundle signs something else than an in-toto statement about files."),
            gettext("Sign the file itself, or a statement with its SHA-256 as a subject."),
        )
    return {str(digest) for digest in digests if digest}


def _times(bundle: Bundle) -> Iterator[datetime]:
    """Yield the times that a bundle has, of its log entry and of timestamp authorities."""
    entry = bundle.log_entry._inner
    if entry.integrated_time and entry.inclusion_promise:
        yield datetime.fromtimestamp(entry.integrated_time, UTC)
    if stamps := bundle.verification_material.timestamp_verification_data:
        for stamp in stamps.rfc3161_timestamps:
            yield stamp.tst_info.gen_time


def _is_issued_by(certificate: Certificate, authority: Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _other_file(signed: Collection[str], wanted: Sequence[Collection[str]]) -> BundleRefused:
    (first, *more) = sorted(signed) or ["–"]
    return BundleRefused(
        "other-file",
        gettext("The digest of the file is %(file)s; the bundle signs %(signed)s.")
        % {"file": ", ".join(sorted(wanted[-1])), "signed": first if not more else f"{first}, …"},
        gettext("Sign the file that you send; of an archive, sign each file in it in one statement."),
    )


def _not_verified(text: str) -> BundleRefused:
    codes: Any = (code for start, code in _CODES.items() if text.startswith(start))
    return BundleRefused(
        next(codes, "not-verified"),
        gettext("The bundle cannot be verified: %(why)s.") % {"why": quote(text.rstrip("."))},
        gettext("Sign the file again, and verify the bundle with `sigstore verify` before you send it."),
    )


def _malformed() -> BundleRefused:
    return BundleRefused(
        "malformed",
        gettext("The file is not a Sigstore bundle, or a damaged one."),
        gettext("Send the JSON file that signing wrote, unchanged."),
    )
