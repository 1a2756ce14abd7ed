"""Shapes of the keys that sign receipts and the log, and of signed envelopes."""

from typing import Annotated

from msgspec import Meta, Struct, field

from leaderboard.api.schema.common import Timestamp


class KeySchema(Struct, kw_only=True):
    name: Annotated[str, Meta(description="Of who signs with it, as signed notes name it.")]
    id: Annotated[str, Meta(description="Eight hexadecimal digits, which signatures name.")]
    key: Annotated[str, Meta(description="The public key as C2SP writes it: name+hash+base64.")]
    public_key: Annotated[str, Meta(description="Its 32 bytes in base64.")]
    pem: Annotated[str, Meta(description="The same for openssl.")]
    since: Annotated[Timestamp, Meta(description="From when on the service signs with it.")]
    until: Annotated[
        Timestamp | None, Meta(description="When the next one replaced it; null for the present one.")
    ]


class KeysSchema(Struct, kw_only=True):
    public_keys: list[KeySchema]


class EnvelopeSignatureSchema(Struct, kw_only=True):
    keyid: Annotated[str, Meta(description="`id` of the key in the list of keys.")]
    sig: Annotated[str, Meta(description="Ed25519 over the pre-authentication encoding, in base64.")]


class EnvelopeSchema(Struct, kw_only=True):
    payload: Annotated[str, Meta(description="The in-toto Statement in base64.")]
    payload_type: Annotated[str, Meta(description="application/vnd.in-toto+json")] = field(name="payloadType")
    signatures: list[EnvelopeSignatureSchema]
