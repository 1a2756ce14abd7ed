"""Shapes of reports of doubtful reference answers."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from leaderboard.api.schema.common import Timestamp
from leaderboard.models import DoubtKind, DoubtState
from leaderboard.services.doubts.reports import LONGEST_TEXT

_REASON = "What is doubtful."


class DoubtFields(Struct, kw_only=True, forbid_unknown_fields=True):
    task_id: Annotated[str, Meta(description="As in the result file.")]
    reason: Annotated[DoubtKind, Meta(description=_REASON)]
    text: Annotated[
        Annotated[str, Meta(max_length=LONGEST_TEXT)] | UnsetType,
        Meta(description="Where the organisers can check it; needed for the reason `other`."),
    ] = UNSET


class DoubtSchema(Struct, kw_only=True):
    task_id: str
    reason: Annotated[DoubtKind, Meta(description=_REASON)]
    text: str
    reported_at: Timestamp
    state: Annotated[
        DoubtState, Meta(description="accepted: the task is set aside. put-back: it was, and counts again.")
    ]
    answer: Annotated[str, Meta(description="Of the organisers; empty while it is open.")]
    decided_at: Timestamp | None


class DoubtListSchema(Struct, kw_only=True):
    doubts: Annotated[
        list[DoubtSchema], Meta(description="All of the team on the leaderboard, newest first.")
    ]
