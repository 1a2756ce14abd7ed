"""Answers of an authenticator, made without one."""

import base64
import json
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.webauthn import Aaguid, AttestedCredentialData, AuthenticatorData


def registration() -> dict:
    """Return what a browser sends of a new passkey for the host of the tests."""
    public_key = ES256.from_cryptography_key(ec.generate_private_key(ec.SECP256R1()).public_key())
    credential = AttestedCredentialData.create(Aaguid.NONE, b"c" * 16, public_key)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.AT
    data = AuthenticatorData.create(sha256(b"testserver").digest(), flags, 0, credential)
    client_data = {"type": "webauthn.create", "challenge": "", "origin": "https://testserver"}
    return {
        "id": _encode(b"c" * 16),
        "rawId": _encode(b"c" * 16),
        "type": "public-key",
        "response": {
            "clientDataJSON": _encode(json.dumps(client_data).encode()),
            "attestationObject": _encode(
                cbor.encode({"fmt": "none", "attStmt": {}, "authData": bytes(data)})
            ),
        },
        "clientExtensionResults": {},
    }


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
