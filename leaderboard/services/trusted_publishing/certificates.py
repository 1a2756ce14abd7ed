"""Read from the certificate of a signature which workflow signed, and refuse what is no workflow of a team.

Source: the object identifiers that Fulcio documents, github.com/sigstore/fulcio.
"""

import re
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat import asn1
from django.utils.translation import gettext

from leaderboard.models import CiJob, Team, TrustedPublisher
from leaderboard.services.trusted_publishing.issuers import Issuer, known_issuers
from leaderboard.services.trusted_publishing.jobs import EVENTS, REF_OF_REQUEST
from wardboard.scoring.reading.problems import Problem, pointer, quote

FIELD = "sigstore_bundle"
_FULCIO = "1.3.6.1.4.1.57264.1."
_COMMIT = re.compile(r"[0-9a-f]{40,64}", re.ASCII)
_ATTEMPT = re.compile(r"/attempts/\d+\Z", re.ASCII)
_LONGEST, _LONGEST_IDENTITY = 255, 600  # characters


class BundleRefused(Exception):
    """A bundle is not taken; `problem` says why."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.problem = Problem(code=f"sigstore.{code}", pointer=pointer(FIELD), message=message, hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """The workflow that a certificate names, with fields of `FileSignature`."""

    issuer: str
    identity: str
    repository: str
    repository_id: str
    workflow: str
    ref: str
    commit: str
    run_url: str


def read_signer(certificate: x509.Certificate) -> Signer:
    """Return the workflow that a verified certificate names. Raises BundleRefused for any other identity."""
    identity, issuer_url = _identity(certificate), _extension(certificate, 8)
    issuer = known_issuers().get(issuer_url)
    if issuer is None:
        raise _no_workflow(
            gettext("The certificate is for “%(identity)s” of %(issuer)s, which is no accepted CI system.")
            % {"identity": quote(identity), "issuer": quote(issuer_url) or "?"}
        )
    address = _extension(certificate, 12)
    repository = address.removeprefix(f"{issuer.site}/")
    workflow = _workflow(_extension(certificate, 18), address)
    commit, repository_id = _extension(certificate, 13), _extension(certificate, 15)
    run = _ATTEMPT.sub("", _extension(certificate, 21))
    is_known = repository not in ("", address) and run.startswith(f"{address}/")
    if not (is_known and workflow and repository_id and _COMMIT.fullmatch(commit)):
        raise _no_workflow(
            gettext("The certificate for “%(identity)s” names no repository, workflow, commit and run.")
            % {"identity": quote(identity)}
        )
    signer = Signer(
        issuer=issuer.url,
        identity=identity,
        repository=repository,
        repository_id=repository_id,
        workflow=workflow,
        ref=_extension(certificate, 14),
        commit=commit,
        run_url=run,
    )
    _refuse_events_of_others(issuer, signer.ref, _extension(certificate, 20))
    return signer


def refuse_other_teams(signer: Signer, *, team: Team, job: CiJob | None) -> None:
    """Raise BundleRefused unless a job of the repository sends the file, or has sent one for the team.

    A file and its bundle may be public. Without this rule, anybody with both could send the work of others.
    job: that sends the file; None for an account
    """
    if job is not None:
        stated = {"repository": signer.repository_id, "commit": signer.commit}
        proved = {"repository": job.repository_id, "commit": job.commit}
        if job.issuer == signer.issuer and stated == proved:
            return
        raise BundleRefused(
            "other-job",
            gettext("The file was signed in %(signed)s, and a job of %(job)s sends it.")
            % {
                "signed": f"{signer.repository} {signer.commit[:12]}",
                "job": f"{job.repository} {job.commit[:12]}",
            },
            gettext("Sign and send the file in one workflow run."),
        )
    publishers = TrustedPublisher.objects.filter(team=team, issuer=signer.issuer)
    if not publishers.filter(repository_id=signer.repository_id, last_used_at__isnull=False).exists():
        raise BundleRefused(
            "other-team",
            gettext("The file was signed in %(repository)s, and no job of it has submitted for the team yet.")
            % {"repository": signer.repository},
            gettext("Send the file in a job of that repository, with a trusted publisher."),
        )


def _refuse_events_of_others(issuer: Issuer, ref: str, event: str) -> None:
    if REF_OF_REQUEST.match(ref) or event not in EVENTS[issuer.kind]:
        raise BundleRefused(
            "event",
            gettext("The workflow was started by “%(event)s”, which people without rights can cause.")
            % {"event": quote(event)},
            gettext("Start it by one of: %(events)s.") % {"events": ", ".join(EVENTS[issuer.kind])},
        )


def _no_workflow(message: str) -> BundleRefused:
    return BundleRefused(
        "no-workflow",
        message,
        gettext("Sign the file in a job of GitHub Actions or GitLab CI, such as with %(action)s.")
        % {"action": "actions/attest-build-provenance"},
    )


def _identity(certificate: x509.Certificate) -> str:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ""
    texts = [
        *names.get_values_for_type(x509.UniformResourceIdentifier),
        *names.get_values_for_type(x509.RFC822Name),
    ]
    return _clean(texts[0], _LONGEST_IDENTITY) if len(texts) == 1 else ""


def _extension(certificate: x509.Certificate, number: int) -> str:
    """Return a text that the authority put into a certificate; "" where it has none that can be stored."""
    try:
        oid = x509.ObjectIdentifier(f"{_FULCIO}{number}")
        value = certificate.extensions.get_extension_for_oid(oid).value
        assert isinstance(value, x509.UnrecognizedExtension)
        return _clean(asn1.decode_der(str, value.value), _LONGEST)
    except (x509.ExtensionNotFound, ValueError):
        return ""


def _clean(text: str, longest: int) -> str:
    return text if len(text) <= longest and text.isprintable() else ""


def _workflow(config: str, repository: str) -> str:
    """Return the path of a workflow file in the address of one, such as …/name/path@ref; "" for any other."""
    path = config.rpartition("@")[0]
    return path.removeprefix(f"{repository}/").lstrip("/") if path.startswith(f"{repository}/") else ""
