"""The fields of a result that was published elsewhere: one table for the form, the CSV file and the API."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from leaderboard.models import Board, ReportedResult
from leaderboard.services.publishing.standings import stored_breakdowns, stored_group_metrics
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Unit
from wardboard.scoring.facts import BY_KEY, Choice
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reported import Confidence, Grader, ReportedRow, SawTest
from wardboard.scoring.verdicts import Rate, Share


class Kind(StrEnum):
    """What a value is. PERCENT: as it was printed, stored in 0..1. COUNT: a whole number."""

    TEXT = "text"
    CHOICE = "choice"
    YES_NO = "yes-no"
    DAY = "day"
    URL = "url"
    COUNT = "count"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field.

    key: its name in the file and the API, and of the attribute of ReportedRow where it has one
    longest: characters of a text; least, most: of a count
    is_metric: whether it is a metric of the benchmark beside the ranked one
    """

    key: str
    label: Phrase
    help: str = ""
    kind: Kind = Kind.TEXT
    longest: int = 0
    least: int = 0
    most: int = 0
    choices: type[Choice] | None = None
    is_required: bool = False
    is_metric: bool = False


def _fact(key: str) -> Field:
    fact = BY_KEY[key]
    kinds = {"choice": Kind.CHOICE, "yes-no": Kind.YES_NO}
    kind = kinds.get(fact.kind, Kind.TEXT)
    return Field(key=key, label=fact.label, kind=kind, longest=fact.longest, choices=fact.choices)


_MOST = 1_000_000
FIELDS = (
    Field(
        key="system",
        label=phrase("Name of the system"),
        help=phrase("With its model and its harness, so that it differs from the other rows."),
        longest=120,
        is_required=True,
    ),
    Field(key="model", label=phrase("Model"), longest=120),
    Field(
        key="organisation",
        label=phrase("Organisation"),
        help=phrase("Who published the result."),
        longest=120,
    ),
    Field(
        key="score",
        label=phrase("Score, %"),
        help=phrase("As it was printed, with all its digits."),
        kind=Kind.PERCENT,
    ),
    Field(
        key="correct",
        label=phrase("Correct tasks"),
        help=phrase("Only where the source gives the count, or the printed score fits one count alone."),
        kind=Kind.COUNT,
        most=_MOST,
    ),
    Field(
        key="tasks",
        label=phrase("Tasks"),
        help=phrase("The number that the score is over."),
        kind=Kind.COUNT,
        least=1,
        most=_MOST,
    ),
    Field(key="runs", label=phrase("Runs"), kind=Kind.COUNT, least=1, most=1000),
    Field(key="published_on", label=phrase("Published on"), kind=Kind.DAY),
    Field(key="source", label=phrase("Source"), help=phrase("Its title."), longest=200, is_required=True),
    Field(
        key="source_url",
        label=phrase("Link to the source"),
        help=phrase("Begins with https://."),
        kind=Kind.URL,
        longest=300,
        is_required=True,
    ),
    _fact("harness"),
    _fact("harness_name"),
    _fact("interaction"),
    _fact("retrieval"),
    _fact("reasoning"),
    _fact("open_weights"),
    Field(
        key="grader",
        label=phrase("Grader"),
        kind=Kind.CHOICE,
        choices=Grader,
        is_required=True,
    ),
    Field(
        key="judge",
        label=phrase("Judge"),
        help=phrase("Who decided on answers in words, as the leaderboard names judges."),
        longest=120,
    ),
    Field(
        key="scored_by",
        label=phrase("Scored by"),
        help=phrase("The people who ran the grader, such as the authors of the source."),
        longest=200,
        is_required=True,
    ),
    Field(
        key="saw_test",
        label=phrase("Saw the tasks before"),
        help=phrase("Training, memory, or prompts that were changed after looking at verdicts."),
        kind=Kind.CHOICE,
        choices=SawTest,
        is_required=True,
    ),
    Field(
        key="confidence",
        label=phrase("Confidence"),
        kind=Kind.CHOICE,
        choices=Confidence,
        is_required=True,
    ),
    Field(
        key="not_ranked",
        label=phrase("Why it is not ranked"),
        help=phrase("Other tasks, another grader, or it saw the tasks. Leave empty to give it a rank."),
        longest=300,
    ),
    Field(
        key="note",
        label=phrase("Note"),
        help=phrase("What readers must know about the figure, in one or two sentences."),
        longest=500,
    ),
)


def fields_of(board: Board) -> tuple[Field, ...]:
    """Return the fields of a board: one for the judge only where something is judged, and its metrics."""
    benchmark = registry.get(board.benchmark)
    fields = [field for field in FIELDS if field.key != "judge" or benchmark.needs_judge]
    metrics = [
        Field(key=metric.key, label=phrase(metric.label), kind=Kind.PERCENT, is_metric=True)
        for metric in benchmark.metrics[1:]
        if metric.unit is Unit.SHARE and metric.column and not metric.upper_key
    ]
    return (*fields, *metrics)


def stated_of(row: ReportedRow, *, board: Board) -> dict[str, Any]:
    """Return what a row states, as JSON, without its figures by group."""
    ranked = registry.get(board.benchmark).metrics[0].key
    return {
        **{each.key: _json(getattr(row, each.key)) for each in FIELDS if hasattr(row, each.key)},
        "score": row.overall.rate,
        "correct": row.overall.right,
        "tasks": row.overall.total or None,
        "metrics": {key: value for key, value in row.metrics.items() if value is not None and key != ranked},
    }


def _json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def groups_of(row: ReportedRow) -> dict[str, Any]:
    """Return the figures by group, as a standing has them; {} for none."""
    if not row.breakdowns and not row.group_metrics:
        return {}
    return {"breakdowns": stored_breakdowns(row.breakdowns), "group_metrics": stored_group_metrics(row)}


def row_of(result: ReportedResult) -> ReportedRow:
    """Return a stored result as a row, without its figures by group."""
    return row_from(result.stated, board=result.board)


def row_from(stated: Mapping[str, Any], *, board: Board) -> ReportedRow:
    """Return the row that `stated` describes, as `stated_of` returns it."""
    values = {key: value for key, value in stated.items() if key not in ("score", "correct", "tasks")}
    metrics = registry.get(board.benchmark).metrics
    tasks, day = stated["tasks"] or 0, stated["published_on"]
    overall = (
        Share(rate=stated["score"], total=tasks)
        if stated["correct"] is None
        else Rate(right=stated["correct"], total=tasks)
    )
    figures = {metric.key: stated["metrics"].get(metric.key) for metric in metrics}
    return ReportedRow(
        **values
        | {
            "overall": overall,
            "metrics": figures | {metrics[0].key: overall.rate},
            "published_on": date.fromisoformat(day) if day else None,
            "grader": Grader(stated["grader"]),
            "saw_test": SawTest(stated["saw_test"]),
            "confidence": Confidence(stated["confidence"]),
        }
    )


def as_text(field: Field, stated: Mapping[str, Any]) -> str:
    """Return the value of a field as the file and the form have it; "" for none."""
    value = (stated["metrics"] if field.is_metric else stated).get(field.key)
    if value is None:
        return ""
    if field.kind is Kind.PERCENT:
        text = print_percent(value)
        return f"{text}%" if 0 < value <= 0.01 else text
    if field.kind is Kind.YES_NO:
        return "yes" if value else "no"
    return str(value)


def print_percent(rate: float) -> str:
    """Return a rate in 0..1 in percent, with at most two decimals: 69.67, 95, 0."""
    return f"{100 * rate:.2f}".rstrip("0").rstrip(".")


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the keys of the fields whose values differ, `metrics` among them."""
    keys = [each.key for each in FIELDS]
    changed = [key for key in keys if json.dumps(before.get(key)) != json.dumps(after.get(key))]
    return changed + (["metrics"] if before.get("metrics") != after.get("metrics") else [])
