"""Shapes of webhooks and their calls."""

from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from leaderboard.api.schema.common import Count, Timestamp
from leaderboard.models import CallProblem, CallState, OffReason, WebhookEvent
from leaderboard.services.webhooks.webhooks import LONGEST_URL


class WebhookFields(Struct, kw_only=True, forbid_unknown_fields=True):
    url: Annotated[str, Meta(max_length=LONGEST_URL, description="https, on the public internet.")]


class WebhookSchema(Struct, kw_only=True):
    id: UUID
    url: str
    added_at: Timestamp
    off_at: Annotated[
        Timestamp | None, Meta(description="When it was switched off; null while it is called.")
    ]
    off_reason: Annotated[
        OffReason | None,
        Meta(description="gone: its server answered 410; failures: too many calls in a row were given up."),
    ]


class NewWebhookSchema(WebhookSchema, kw_only=True):
    secret: Annotated[
        str,
        Meta(description="`whsec_` and base64: signs each call. It cannot be read again."),
    ]


class WebhookListSchema(Struct, kw_only=True):
    webhooks: Annotated[list[WebhookSchema], Meta(description="Of the team, oldest first.")]


class CallSchema(Struct, kw_only=True):
    id: Annotated[UUID, Meta(description="The header webhook-id, the same in each attempt.")]
    type: WebhookEvent
    payload: Annotated[dict[str, Any], Meta(description="The body that was sent.")]
    created_at: Timestamp
    state: Annotated[CallState, Meta(description="All but waiting are final.")]
    attempts: Count
    next_attempt_at: Annotated[Timestamp | None, Meta(description="Null where there is none.")]
    delivered_at: Timestamp | None
    status: Annotated[int | None, Meta(description="HTTP status of the last answer; null without one.")]
    problem: Annotated[CallProblem | None, Meta(description="Of the last attempt.")]


class CallListSchema(Struct, kw_only=True):
    deliveries: Annotated[list[CallSchema], Meta(description="The last 20, newest first.")]
