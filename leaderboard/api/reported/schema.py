"""Shapes of results that were published elsewhere."""

from datetime import date
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from leaderboard.services.publishing.disqualify import MAX_REASON
from leaderboard.services.publishing.reported.fields import FIELDS
from scoring import registry
from scoring.benchmark import Unit
from scoring.reported import Confidence, Grader, SawTest

_LONGEST = 20  # characters of a number or a day


class ReportedSchema(Struct, kw_only=True):
    id: int
    system: str
    model: str
    organisation: str
    score: Annotated[float, Meta(description="In 0..1, as it was published; not rescored here.")]
    correct: int | None
    tasks: Annotated[int | None, Meta(description="What the score is over; null where not stated.")]
    runs: int | None
    metrics: dict[str, float]
    published_on: date | None
    source: str
    source_url: str
    harness: str
    harness_name: str
    grader: Grader
    judge: str
    scored_by: str
    saw_test: Annotated[SawTest, Meta(description="Whether it had seen the tasks before.")]
    confidence: Confidence
    not_ranked: Annotated[str, Meta(description="Why it has no rank; empty for a ranked one.")]
    note: str
    system_id: Annotated[int | None, Meta(description="Of its row on the leaderboard, if it has a rank.")]


class ReportedListSchema(Struct, kw_only=True):
    benchmark: str
    results: list[ReportedSchema]


def _fields() -> list[Any]:
    texts = {each.key: (each.longest or _LONGEST, str(each.label)) for each in FIELDS}
    for benchmark in registry.BENCHMARKS.values():
        for metric in benchmark.metrics[1:]:
            if metric.unit is Unit.SHARE:
                texts.setdefault(metric.key, (_LONGEST, f"{metric.label}, in percent."))
    return [
        (key, Annotated[Annotated[str, Meta(max_length=most)] | UnsetType, Meta(description=text)], UNSET)
        for key, (most, text) in texts.items()
    ]


# Texts, as in the CSV file of the organiser's desk.
ReportedFields = defstruct("ReportedFields", _fields(), kw_only=True, forbid_unknown_fields=True)


class RemoveReportedFields(Struct, kw_only=True, forbid_unknown_fields=True):
    reason: Annotated[
        Annotated[str, Meta(max_length=MAX_REASON)], Meta(description="Public, in the log of changes.")
    ]
