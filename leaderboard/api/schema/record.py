"""Shapes of the keys that sign receipts and the log."""

from typing import Annotated

from msgspec import Meta, Struct

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
