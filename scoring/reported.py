"""Results published elsewhere, which a leaderboard cites and does not score."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from wardboard.scoring.facts import Choice
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.verdicts import Rate, Share


class Grader(Choice):
    """What decided on the answers of a published result."""

    OFFICIAL = "official", phrase("The official grader")
    PORTED = "ported", phrase("A copy or port of the official grader")
    OTHER = "other", phrase("Another grader or judge")
    UNKNOWN = "unknown", phrase("Not stated")


class SawTest(Choice):
    """Whether a system had seen the tasks, or what the grader says of them, before it was run."""

    NO = "no", phrase("No")
    POSSIBLY = "possibly", phrase("Possibly")
    YES = "yes", phrase("Yes")
    UNKNOWN = "unknown", phrase("Not stated")


class Confidence(Choice):
    """How well a figure is known. HIGH: seen in its source. MEDIUM: seen second hand. LOW: not seen."""

    HIGH = "high", phrase("High: seen in the source")
    MEDIUM = "medium", phrase("Medium: seen second hand, or the source leaves something open")
    LOW = "low", phrase("Low: one unverified claim")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRow:
    """A published result that was not rescored.

    - overall, breakdowns: a Rate if the count is known, a Share if only the printed figure is; the total of
      `overall` is 0 where the number of tasks is not stated
    - metrics: in 0..1
    - interaction, retrieval, reasoning, harness: as leaderboard.models.systems names them, "" if unknown
    - breakdowns, group_metrics: as in a Scorecard, as far as they were published
    - judge: its identity, "" for none
    - is_baseline: calculated for a baseline, from published facts about the tasks
    - published_on: None where that was not seen, of a result that is not ranked
    - runs: None where it is not stated
    - scored_by: the people who ran the grader
    - not_ranked: why it cannot be compared with the rows of the leaderboard, in a sentence; "" if it can
    """

    system: str
    model: str
    open_weights: bool | None
    overall: Rate | Share
    metrics: Mapping[str, float | None]
    source: str
    source_url: str
    published_on: date | None
    interaction: str = ""
    retrieval: str = ""
    reasoning: str = ""
    harness: str = ""
    harness_name: str = ""
    breakdowns: Mapping[str, Mapping[str, Rate | Share]] = field(default_factory=dict)
    group_metrics: Mapping[str, Mapping[str, Mapping[str, float | None]]] = field(default_factory=dict)
    judge: str = ""
    is_baseline: bool = False
    organisation: str = ""
    runs: int | None = None
    grader: Grader = Grader.OFFICIAL
    scored_by: str = ""
    saw_test: SawTest = SawTest.UNKNOWN
    confidence: Confidence = Confidence.HIGH
    not_ranked: str = ""
    note: str = ""


def read_groups(
    groups: Iterable[Mapping[str, Any]], *, ranked: str, metrics: Sequence[str]
) -> tuple[ReportedRow, ...]:
    """Return the rows of a benchmark's data file, whose groups state once what their rows share.

    groups: read with parse_float=Decimal. A row has the names of ReportedRow, and `score` in percent as it
    was printed, `correct` where the count is known, `tasks`, and in `metrics` percents or [right, total].
    ranked: key of the metric that `score` is. Raises ValueError for a count that is not printed as its score.
    """
    return tuple(_row({**group, **row}, ranked, metrics) for group in groups for row in group["rows"])


def rate_of(*, percent: Decimal | None, correct: int | None, tasks: int) -> Rate | Share:
    """Return a published rate: of its count where that is known, else as it was printed.

    Raises ValueError for neither, and for a count of `tasks` that does not round to the printed figure.
    """
    if correct is None:
        if percent is None:
            raise ValueError("neither a score nor a count")
        return Share(rate=float(percent / 100), total=tasks)
    if not 0 <= correct <= tasks or not tasks:
        raise ValueError(f"{correct} of {tasks} is no count")
    if percent is not None:
        # A count rounds to a printed percentage by half of its last digit.
        half = Decimal(1).scaleb(min(0, int(percent.as_tuple().exponent))) / 2
        if abs(Decimal(100 * correct) / tasks - percent) > half:
            raise ValueError(f"{correct} of {tasks} is not printed as {percent}%")
    return Rate(right=correct, total=tasks)


def _row(values: Mapping[str, Any], ranked: str, metrics: Sequence[str]) -> ReportedRow:
    names = ReportedRow.__slots__
    score, day = values.get("score"), values.get("published_on")
    overall = rate_of(
        percent=None if score is None else Decimal(score),
        correct=values.get("correct"),
        tasks=values.get("tasks") or 0,
    )
    known = {key: _share(value) for key, value in values.get("metrics", {}).items()}
    figures: dict[str, float | None] = {**dict.fromkeys(metrics), ranked: overall.rate, **known}
    choices = {"grader": Grader, "saw_test": SawTest, "confidence": Confidence}
    plain = {name: value for name, value in values.items() if name in names and name not in choices}
    return ReportedRow(
        **{"model": "", "open_weights": None, **plain}
        | {name: choice(values[name]) for name, choice in choices.items() if name in values}
        | {"overall": overall, "metrics": figures, "published_on": date.fromisoformat(day) if day else None}
    )


def _share(value: Any) -> float:
    return value[0] / value[1] if isinstance(value, list) else float(Decimal(value) / 100)
