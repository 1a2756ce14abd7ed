"""Receipts, the log and the keys that sign them: shapes and operations."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from leaderboard.api.schema.operation import Operation, SuccessResponse


class KeySchema(Struct, kw_only=True):
    name: Annotated[str, Meta(description="Of who signs with it, as signed notes name it.")]
    id: Annotated[str, Meta(description="Eight hexadecimal digits, which signatures name.")]
    key: Annotated[str, Meta(description="The public key as C2SP writes it: name+hash+base64.")]
    public_key: Annotated[str, Meta(description="Its 32 bytes in base64.")]
    pem: Annotated[str, Meta(description="The same for openssl.")]
    since: Annotated[datetime, Meta(description="From when on the service signs with it.")]
    until: Annotated[
        datetime | None, Meta(description="When the next one replaced it; null for the present one.")
    ]


class KeysSchema(Struct, kw_only=True):
    public_keys: list[KeySchema]


_keys = Operation(
    id="getKeys",
    tag="service",
    summary="The public keys of all receipts and checkpoints",
    responses=[SuccessResponse(body=KeysSchema)],
)
_checkpoint = Operation(
    id="getCheckpoint",
    tag="service",
    summary="The signed state of the log: the last event of every leaderboard with its digest",
    responses=[SuccessResponse(body={"type": "string"}, media_type="text/plain")],
)
_LINES = SuccessResponse(
    body={"type": "string"},
    media_type="application/jsonl",
    description="A line for each event, and last one with a checkpoint; `wardboard verify` checks it.",
)
_log = Operation(
    id="getLog",
    tag="service",
    summary="Every event of every leaderboard, chained",
    responses=[_LINES],
    problems=[503],
)
_board_log = Operation(
    id="getBoardLog",
    tag="benchmarks",
    summary="Every event of a leaderboard, chained",
    responses=[_LINES],
    problems=(404, 503),
)
_receipt = Operation(
    id="getReceipt",
    tag="submissions",
    summary="The signed receipt of a result: what scored it, and its score",
    description="Before its publication it states the rounded score, as the team sees it.",
    security=("apiToken", "browserSession", ""),
    responses=[SuccessResponse(body={"type": "object", "additionalProperties": {}})],
    problems=(401, 404),
)

RECORD_OPERATIONS: Mapping[str, Mapping[str, Operation]] = {
    "/api/v1/keys/": {"get": _keys},
    "/api/v1/log/": {"get": _log},
    "/api/v1/log/checkpoint/": {"get": _checkpoint},
    "/api/v1/benchmarks/{slug}/log/": {"get": _board_log},
    "/api/v1/submissions/{submission_id}/receipt/": {"get": _receipt},
}
