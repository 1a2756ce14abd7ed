"""A Sigstore of one's own, made in memory: an authority, a log of certificates and a log of signatures.

Its bundles have the form of those of the public Sigstore: certificate profile of Fulcio, SCT of RFC 6962,
entry, checkpoint and signed time of Rekor 1. The library verifies them as it verifies real ones.
"""

import base64
import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import rfc8785
from cryptography import x509
from cryptography.hazmat import asn1
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID, NameOID

from tests.support.ci_issuer import COMMIT, REPOSITORY, REPOSITORY_ID, WORKFLOW

ISSUER = "https://token.actions.githubusercontent.com"
REF = "refs/tags/v1.2"
HOME = f"https://github.com/{REPOSITORY}"
RUN = f"{HOME}/actions/runs/9876543210"
IDENTITY = f"{HOME}/{WORKFLOW}@{REF}"
BUNDLE_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
STATEMENT_TYPE = "application/vnd.in-toto+json"
SIGNED_AT = datetime(2026, 11, 1, 12, tzinfo=UTC)
_ECDSA = ec.ECDSA(hashes.SHA256())
# The texts of a certificate by the numbers of object identifiers of Fulcio.
CLAIMS: Mapping[int, str] = {
    8: ISSUER,
    9: IDENTITY,
    11: "github-hosted",
    12: HOME,
    13: COMMIT,
    14: REF,
    15: REPOSITORY_ID,
    18: IDENTITY,
    20: "push",
    21: f"{RUN}/attempts/1",
}
# The first six, which stock tools still read, are plain bytes.
_OLD_CLAIMS: Mapping[int, str] = {1: ISSUER, 2: "push", 3: COMMIT, 4: "Release", 5: REPOSITORY, 6: REF}


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@dataclass(slots=True)
class LocalSigstore:
    """An instance with keys of its own."""

    authority_key: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    certificates_key: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    log_key: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    signing_key: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    authority: x509.Certificate = field(init=False)

    def __post_init__(self) -> None:
        self.authority = _authority(self.authority_key)

    def trusted_root(self) -> dict[str, Any]:
        """Return what an operator keeps in SIGSTORE_TRUSTED_ROOT."""
        return {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [_log("https://log.example.org", self.log_key)],
            "ctlogs": [_log("https://certificates.example.org", self.certificates_key)],
            "certificateAuthorities": [
                {
                    "subject": {"commonName": "Local authority", "organization": "Tests"},
                    "uri": "https://authority.example.org",
                    "certChain": {"certificates": [{"rawBytes": _text(_der(self.authority))}]},
                    "validFor": {"start": "2024-01-01T00:00:00Z"},
                }
            ],
            "timestampAuthorities": [],
        }

    def trust_config(self) -> dict[str, Any]:
        """Return what the option --trust-config of the command `sigstore` reads."""
        service = {"url": "https://unused.example.org", "majorApiVersion": 1, "operator": "tests"}
        service["validFor"] = {"start": "2024-01-01T00:00:00Z"}
        signing = {
            "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
            "caUrls": [service],
            "rekorTlogUrls": [service],
            "rekorTlogConfig": {"selector": "ANY"},
            "tsaConfig": {"selector": "ANY"},
        }
        kind = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
        return {"mediaType": kind, "trustedRoot": self.trusted_root(), "signingConfig": signing}

    def write_root(self, folder: Path) -> Path:
        path = folder / "trusted_root.json"
        path.write_text(json.dumps(self.trusted_root()))
        return path

    def sign(self, *files: bytes, statement: bool = False, **options: Any) -> dict[str, Any]:
        """Return the bundle of a file, or of a statement about several. options: of `bundle`"""
        digests = [hashlib.sha256(raw).hexdigest() for raw in files]
        if not statement:
            (digest,) = digests
            return self.bundle(digest=digest, **options)
        subjects = [
            {"name": f"run-{number}.json", "digest": {"sha256": digest}}
            for number, digest in enumerate(digests, 1)
        ]
        content = {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": subjects,
            "predicateType": "https://slsa.dev/provenance/v1",
            "predicate": {
                "buildDefinition": {"buildType": "https://actions.github.io/buildtypes/workflow/v1"}
            },
        }
        return self.bundle(payload=json.dumps(content).encode(), **options)

    def bundle(
        self,
        *,
        digest: str = "",
        payload: bytes = b"",
        payload_type: str = STATEMENT_TYPE,
        identity: str = IDENTITY,
        claims: Mapping[int, str | None] | None = None,
        logged_at: datetime = SIGNED_AT,
    ) -> dict[str, Any]:
        """Return a bundle that signs a digest, or a payload in an envelope.

        claims: in place of those of CLAIMS; None leaves one out. logged_at: by the log of signatures
        """
        certificate = self._certificate(identity, {**CLAIMS, **(claims or {})})
        pem = _text(certificate.public_bytes(Encoding.PEM))
        if digest:
            signature = self.signing_key.sign(bytes.fromhex(digest), ec.ECDSA(Prehashed(hashes.SHA256())))
            content: dict[str, Any] = {
                "messageSignature": {
                    "messageDigest": {"algorithm": "SHA2_256", "digest": _text(bytes.fromhex(digest))},
                    "signature": _text(signature),
                }
            }
            kind, spec = "hashedrekord", _record(digest, signature, pem)
        else:
            head = f"DSSEv1 {len(payload_type)} {payload_type} {len(payload)} ".encode()
            signature = self.signing_key.sign(head + payload, _ECDSA)
            envelope = {
                "payload": _text(payload),
                "payloadType": payload_type,
                "signatures": [{"sig": _text(signature)}],
            }
            content = {"dsseEnvelope": envelope}
            kind, spec = "dsse", _envelope_record(envelope, payload, signature, pem)
        body = rfc8785.dumps({"kind": kind, "apiVersion": "0.0.1", "spec": spec})
        return {
            "mediaType": BUNDLE_TYPE,
            "verificationMaterial": {
                "certificate": {"rawBytes": _text(_der(certificate))},
                "tlogEntries": [self._entry(kind, body, int(logged_at.timestamp()))],
                "timestampVerificationData": {"rfc3161Timestamps": []},
            },
            **content,
        }

    def _certificate(self, identity: str, claims: Mapping[int, str | None]) -> x509.Certificate:
        name = (
            x509.RFC822Name(identity)
            if "@" in identity and "/" not in identity
            else x509.UniformResourceIdentifier(identity)
        )
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([]))
            .issuer_name(self.authority.subject)
            .public_key(self.signing_key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(SIGNED_AT - timedelta(minutes=5))
            .not_valid_after(SIGNED_AT + timedelta(minutes=5))
            .add_extension(_usage(digital_signature=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(x509.SubjectAlternativeName([name]), critical=True)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.authority_key.public_key()),
                critical=False,
            )
        )
        texts = {number: text.encode() for number, text in _OLD_CLAIMS.items()}
        texts |= {number: asn1.encode_der(text) for number, text in claims.items() if text is not None}
        for number, raw in texts.items():
            oid = x509.ObjectIdentifier(f"1.3.6.1.4.1.57264.1.{number}")
            builder = builder.add_extension(x509.UnrecognizedExtension(oid, raw), critical=False)
        # RFC 6962, section 3.2: the log signs the certificate without the list of what it signed.
        unlogged = builder.sign(self.authority_key, hashes.SHA256()).tbs_certificate_bytes
        at = int(SIGNED_AT.timestamp() * 1000)
        signed = (
            struct.pack("!BBQH", 0, 0, at, 1)
            + _key_id(self.authority_key)
            + len(unlogged).to_bytes(3, "big")
            + unlogged
            + bytes(2)
        )
        signature = self.certificates_key.sign(signed, _ECDSA)
        timestamp = b"\0" + _key_id(self.certificates_key) + struct.pack("!QH", at, 0)
        timestamp += struct.pack("!BBH", 4, 3, len(signature)) + signature
        listed = struct.pack("!HH", len(timestamp) + 2, len(timestamp)) + timestamp
        oid = ExtensionOID.PRECERT_SIGNED_CERTIFICATE_TIMESTAMPS
        logged = x509.UnrecognizedExtension(oid, asn1.encode_der(listed))
        return builder.add_extension(logged, critical=False).sign(self.authority_key, hashes.SHA256())

    def _entry(self, kind: str, body: bytes, at: int) -> dict[str, Any]:
        log_id, leaf = _key_id(self.log_key), hashlib.sha256(b"\0" + body).digest()
        note = f"log.example.org\n1\n{_text(leaf)}\n"
        signature = _text(log_id[:4] + self.log_key.sign(note.encode(), _ECDSA))
        promise = rfc8785.dumps(
            {"body": _text(body), "integratedTime": at, "logID": log_id.hex(), "logIndex": 0}
        )
        return {
            "logIndex": "0",
            "logId": {"keyId": _text(log_id)},
            "kindVersion": {"kind": kind, "version": "0.0.1"},
            "integratedTime": str(at),
            "inclusionPromise": {"signedEntryTimestamp": _text(self.log_key.sign(promise, _ECDSA))},
            "inclusionProof": {
                "logIndex": "0",
                "rootHash": _text(leaf),
                "treeSize": "1",
                "hashes": [],
                "checkpoint": {"envelope": f"{note}\n— log.example.org {signature}\n"},
            },
            "canonicalizedBody": _text(body),
        }


@cache
def local_sigstore(name: str = "trusted") -> LocalSigstore:
    """Return an instance of that name: one for the whole session, as making keys takes time."""
    return LocalSigstore()


def encoded(bundle: Mapping[str, Any]) -> bytes:
    """Return a bundle as a file; its spaces show whether a service keeps each byte."""
    return (json.dumps(bundle, indent=1) + "\n").encode()


def damaged(text: str) -> str:
    """Return base64 of other bytes than `text` has."""
    raw = base64.b64decode(text)
    return _text(raw[:-1] + bytes([raw[-1] ^ 1]))


def _authority(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Local authority")])
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(SIGNED_AT - timedelta(days=365))
        .not_valid_after(SIGNED_AT + timedelta(days=3650))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(key_cert_sign=True, crl_sign=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _usage(**uses: bool) -> x509.KeyUsage:
    names = (
        *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
        *("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
    )
    return x509.KeyUsage(**{name: uses.get(name, False) for name in names})


def _log(address: str, key: ec.EllipticCurvePrivateKey) -> dict[str, Any]:
    return {
        "baseUrl": address,
        "hashAlgorithm": "SHA2_256",
        "logId": {"keyId": _text(_key_id(key))},
        "publicKey": {
            "rawBytes": _text(_public(key)),
            "keyDetails": "PKIX_ECDSA_P256_SHA_256",
            "validFor": {"start": "2024-01-01T00:00:00Z"},
        },
    }


def _record(digest: str, signature: bytes, pem: str) -> dict[str, Any]:
    return {
        "data": {"hash": {"algorithm": "sha256", "value": digest}},
        "signature": {"content": _text(signature), "publicKey": {"content": pem}},
    }


def _envelope_record(
    envelope: Mapping[str, Any], payload: bytes, signature: bytes, pem: str
) -> dict[str, Any]:
    digests = [hashlib.sha256(raw).hexdigest() for raw in (payload, json.dumps(envelope).encode())]
    hashed = [{"algorithm": "sha256", "value": digest} for digest in digests]
    return {
        "payloadHash": hashed[0],
        "envelopeHash": hashed[1],
        "signatures": [{"signature": _text(signature), "verifier": pem}],
    }


def _public(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _key_id(key: ec.EllipticCurvePrivateKey) -> bytes:
    return hashlib.sha256(_public(key)).digest()


def _der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(Encoding.DER)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
