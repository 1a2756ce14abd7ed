"""Shapes of the keys that sign receipts and the log."""

from typing import Annotated

from msgspec import Meta, Struct

from leaderboard.api.schema.common import Timestamp


class KeySchema(Struct, kw_only=True):
    key: Annotated[str, Meta(description="The public key (Ed25519): 32 bytes in base64.")]
    since: Annotated[Timestamp, Meta(description="From when on the service signs with it.")]
    until: Annotated[
        Timestamp | None, Meta(description="When the next one replaced it; null for the present one.")
    ]


class KeysSchema(Struct, kw_only=True):
    public_keys: list[KeySchema]
