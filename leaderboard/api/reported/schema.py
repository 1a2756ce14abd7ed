"""Shapes of results that were published elsewhere."""

from datetime import date
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from leaderboard.services.publishing.disqualify import MAX_REASON
from leaderboard.services.publishing.reported.fields import FIELDS, Kind
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Unit
from wardboard.scoring.reported import Confidence, Grader, SawTest

_LONGEST = 20  # characters of a number or a day
_OTHER_TYPES: dict[Kind, Any] = {Kind.PERCENT: float, Kind.COUNT: int, Kind.YES_NO: bool}
_SHARE = "A number is a share in 0..1, a text a percentage."


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
    interaction: str
    retrieval: str
    reasoning: str
    open_weights: bool | None
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
    fields = {each.key: (each.kind, each.longest or _LONGEST, str(each.label)) for each in FIELDS}
    for benchmark in registry.BENCHMARKS.values():
        for metric in benchmark.metrics[1:]:
            if metric.unit is Unit.SHARE:
                fields.setdefault(metric.key, (Kind.PERCENT, _LONGEST, str(metric.label)))
    described = [
        (
            key,
            _OTHER_TYPES.get(kind, str) | Annotated[str, Meta(max_length=most)] | None,
            f"{text}. {_SHARE}" if kind is Kind.PERCENT else text,
        )
        for key, (kind, most, text) in fields.items()
    ]
    described += [
        ("metrics", dict[str, float], "Further metrics, in 0..1."),
        ("id", int, "Ignored, as the answer has it."),
        ("system_id", int | None, "Ignored, as the answer has it."),
    ]
    return [
        (key, Annotated[kind | UnsetType, Meta(description=text)], UNSET) for key, kind, text in described
    ]


# Texts, as in the CSV file of the organiser's desk, or the values that an answer has.
ReportedFields = defstruct("ReportedFields", _fields(), kw_only=True, forbid_unknown_fields=True)


class RemoveReportedFields(Struct, kw_only=True, forbid_unknown_fields=True):
    reason: Annotated[
        Annotated[str, Meta(max_length=MAX_REASON)], Meta(description="Public, in the log of changes.")
    ]
