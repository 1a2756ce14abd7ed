"""Shapes of what a team may still send to a board."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from leaderboard.api.schema.common import Count, Timestamp
from leaderboard.services.submissions.quotas import LimitKind


class LimitSchema(Struct, kw_only=True):
    kind: Annotated[
        LimitKind,
        Meta(
            description="Files of the team in 24 hours, in 30 days, on these reference answers, and before "
            "it is approved; files of new teams at one network address in 30 days; bytes kept of the team's "
            "files on all leaderboards."
        ),
    ]
    unit: Literal["files", "bytes"]
    allowed: Count
    used: Count
    left: Count
    renews_at: Annotated[
        Timestamp | None, Meta(description="When the oldest file that counts no longer does.")
    ]
    renewals: Annotated[
        list[Timestamp],
        Meta(
            description="When each file that counts no longer does, in order: from then on one more may be "
            "sent. Empty where waiting does not help."
        ),
    ]


class LaneAllowanceSchema(Struct, kw_only=True):
    benchmark: Annotated[str, Meta(description="Slug of the lane.")]
    left: Count | None
    limits: list[LimitSchema]


class AllowanceSchema(Struct, kw_only=True):
    left: Annotated[Count | None, Meta(description="Files that are accepted for scoring now; null: any.")]
    limits: list[LimitSchema]
    approval: Annotated[
        Literal["not-needed", "not-requested", "requested", "approved", "refused"],
        Meta(description="Whether the organisers approved the team; approved teams can publish."),
    ]
    answer: Annotated[str, Meta(description="The reason of a refusal, if the organisers gave one.")]
    needs_verified_email: bool
    unranked_lane: Annotated[
        LaneAllowanceSchema | None, Meta(description="The same for the leaderboard's unranked lane.")
    ]


LONGEST_MESSAGE = 1000  # characters


class ApprovalFields(Struct, kw_only=True, forbid_unknown_fields=True):
    message: Annotated[
        Annotated[str, Meta(max_length=LONGEST_MESSAGE)] | UnsetType,
        Meta(description="Who you are and what you evaluate. Only the organisers see it."),
    ] = UNSET
