"""Shapes that several resources share."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct

from wardboard.scoring.facts import CONDITIONS, OF_SYSTEM, Fact, Kind

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Timestamp = Annotated[datetime, Meta(tz=True)]
Interval = Annotated[list[float], Meta(min_length=2, max_length=2)]
IntervalClusters = Annotated[
    list[str],
    Meta(
        description="What tasks share that depend on each other, such as patients, where `interval_95` "
        "allows for it; in a row without results by task, by a design effect measured elsewhere. Empty for a "
        "Wilson interval."
    ),
]

JUDGE = "What decided on answers in words: mode, model and versions; empty where nothing has to be judged."
JudgeIdentity = Annotated[str, Meta(description=JUDGE)]
NextPage = Annotated[str | None, Meta(description="Address of the page that follows; null after the last.")]
MetricKey = Annotated[
    str,
    Meta(description="Key of the metric that `score` is, such as success_rate or answer_correctness."),
]
UPPER_END = (
    "Where rules leave answers open it is the lower end of a range; `metrics` has the upper end, "
    "answer_correctness_upper, and the share that is open, left_open."
)
ScoreUpper = Annotated[
    float | None,
    Meta(description="With all answers right that the judge left open; null where it left none open."),
]
HELD_TRACE = (
    "What the file holds of the conversations between the agent and the server, from the file alone: whole "
    "(there for every answer), in-part, posts-only (requests that change data alone) or none. Null where it "
    "is not known."
)
VERSION = "Version or release of the system that was run, as its submitter states it; or empty."
COMMIT = "Commit of the system's code that was run, or empty: signed by the CI system, else as stated."
RUN_URL = "Page of the run, such as a job of CI, or empty: signed by the CI system, else as stated."
PROVENANCE = (
    "How much is known about where the file comes from. account: someone of the team sent it; ci: a CI job "
    "did, whose repository, commit and run its CI system signed; ci-attested: it signed the digest of the "
    "file too."
)
REPOSITORY = "Of the CI job that sent the file, as its CI system signed it; empty for `account`."
NOTE = "What its submitter notes on the run, or empty."
UNUSABLE = "Tasks that cannot be graded: they count, and every answer to them is wrong."


class GroupRateSchema(Struct, kw_only=True):
    right: Annotated[Count | None, Meta(description="Null where a publication printed the rate alone.")]
    total: Count
    rate: Annotated[float | None, Meta(description="In 0..1, right / total; null over no tasks.")]


Rates = dict[str, dict[str, GroupRateSchema]]
GroupMetrics = Annotated[
    dict[str, dict[str, dict[str, float | None]]],
    Meta(
        description="Means beside the rate, by breakdown, group and metric. Null where fewer than 20 tasks "
        "of the group have a value, unless the reference answers are public."
    ),
]


def type_of(fact: Fact) -> Any:
    """Return the type of a value of a fact, as it is stated and as it is shown, with its bounds."""
    match fact.kind:
        case Kind.NAMES:
            return list[str]
        case Kind.YES_NO:
            return bool
        case Kind.DAY:
            return date
        case Kind.NUMBER:
            return Annotated[float, Meta(ge=0, le=fact.most)]
    return str


def _shown(fact: Fact) -> tuple[str, Any]:
    """Return the name and the type of a fact of a system that the API shows; empty or null: not stated."""
    described = Meta(description=fact.explains)
    kind = type_of(fact)
    if fact.choices:
        values = Meta(extra_json_schema={"enum": ["", *fact.choices.values]})
        return fact.key, Annotated[str, values, described]
    name = "name" if fact.is_required else fact.key
    return name, Annotated[kind if kind in (str, list[str]) else kind | None, described]


def _schema_of(name: str, shown: Iterable[Fact]) -> type[Struct]:
    return msgspec.defstruct(name, [_shown(fact) for fact in shown], kw_only=True)


if TYPE_CHECKING:

    class _SystemFacts(Struct): ...

    class _Conditions(Struct): ...

else:
    _SystemFacts = _schema_of("_SystemFacts", (fact for fact in OF_SYSTEM if fact not in CONDITIONS))
    _Conditions = _schema_of("_Conditions", CONDITIONS)


class ConditionsSchema(_Conditions, kw_only=True):
    """As the submitter states them; empty or null: not stated."""


class SystemSchema(_SystemFacts, kw_only=True):
    conditions: Annotated[
        ConditionsSchema,
        Meta(description="The conditions of its runs, as the submitter states them; nobody checked them."),
    ]


class ReferencesSchema(Struct, kw_only=True):
    revision: Positive
    commitment: Annotated[
        str, Meta(description="HMAC-SHA-256 of the set of reference answers, with a key that stays hidden.")
    ]
    digest: Annotated[
        str | None, Meta(description="Plain SHA-256 of the set; null where the reference answers are hidden.")
    ]
