"""Shapes of boards, their rows, and what happened to them."""

from typing import Annotated

from msgspec import Meta, Struct

from leaderboard.api.schema.common import (
    COMMIT,
    HELD_TRACE,
    JUDGE,
    NOTE,
    PROVENANCE,
    REPOSITORY,
    RUN_URL,
    UNUSABLE,
    UPPER_END,
    VERSION,
    Count,
    GroupMetrics,
    Interval,
    IntervalClusters,
    JudgeIdentity,
    MetricKey,
    NextPage,
    Positive,
    Rates,
    ReferencesSchema,
    ScoreUpper,
    SystemSchema,
    Timestamp,
)
from leaderboard.models import BoardAction, DataClass, Feedback, Kind, ProvenanceLevel, Trace
from leaderboard.services.rows.lead_rules import LeadRule
from leaderboard.services.statistics.rank_statistics import WhyNot
from wardboard.scoring.benchmark import Unit


class MetricSchema(Struct, kw_only=True):
    key: str
    label: str
    unit: Annotated[Unit, Meta(description="share: 0..1; count: 0 or more; usd: US dollars.")]
    higher_is_better: bool
    stands_for: Annotated[str, Meta(description="What it is, in a sentence.")]


class BreakdownSchema(Struct, kw_only=True):
    key: str
    label: str
    groups: dict[str, str]
    ordered: Annotated[bool, Meta(description="Whether the groups are steps of a quantity.")]
    metrics: Annotated[list[str], Meta(description="Keys in `group_metrics`.")]


class RankRulesSchema(Struct, kw_only=True):
    least_runs: Annotated[
        Positive, Meta(description="Runs that a result needs, without those that repeat another one.")
    ]
    needs_traces: Annotated[bool, Meta(description="Whether the file has to hold the trace of every answer.")]
    needs_official_harness: bool
    most_rounds: Annotated[
        Positive | None, Meta(description="Turns of the model that a task may take; null for no limit.")
    ]


class BenchmarkSchema(Struct, kw_only=True):
    slug: str
    title: str
    question: str
    family: str
    version: str
    open: Annotated[bool, Meta(description="Whether files are taken.")]
    demo: bool
    unranked_lane: Annotated[
        str | None,
        Meta(description="Slug of its unranked lane: public tasks for gates, with a quota of their own."),
    ]
    unranked_lane_of: Annotated[
        str | None, Meta(description="Slug of the leaderboard whose unranked lane this is.")
    ]
    tasks: int | None
    unusable_tasks: Annotated[Count | None, Meta(description=UNUSABLE)]
    feedback: Feedback
    daily_limit: int | None
    data_class: Annotated[
        DataClass,
        Meta(description="Whether the patients' data are open, or available under an agreement only."),
    ]
    acknowledgement: Annotated[
        str | None,
        Meta(
            description="Version of the terms that a request with a file has to acknowledge; null for none."
        ),
    ]
    judge: Annotated[str, Meta(description=f"Of today. {JUDGE}")]
    agreement: Annotated[
        str, Meta(description="How far that judge was found to agree with others, in a sentence.")
    ]
    mixes_judges: Annotated[bool, Meta(description="Whether ranks are among rows of different judges.")]
    rank_rules: Annotated[RankRulesSchema, Meta(description="What a result needs for a rank.")]
    metrics: list[MetricSchema]
    breakdowns: list[BreakdownSchema]
    references: ReferencesSchema | None
    scorer_version: str
    schemas: list[str]
    url: str
    leaderboard_url: str
    schema_url: str


class BenchmarksSchema(Struct, kw_only=True):
    results: list[BenchmarkSchema]


class SourceSchema(Struct, kw_only=True):
    title: str
    url: str


class GoneSchema(Struct, kw_only=True):
    action: BoardAction
    at: Timestamp
    reason: str


class RowSchema(Struct, kw_only=True):
    rank: Annotated[
        int | None,
        Meta(
            description="On the whole leaderboard, among what `ranks` says; equal scores "
            "share one. A baseline has "
            "none."
        ),
    ]
    rank_to: Annotated[
        int | None,
        Meta(
            description="The last rank that the row can have: that of `rank`, unless a judge left answers "
            "open. Then a score is a range, the order of two rows whose ranges overlap is not known, and "
            "`rank` is the first rank that the row can have."
        ),
    ]
    kind: Kind
    judge: JudgeIdentity
    rank_interval_95: Annotated[
        list[int | None] | None,
        Meta(
            description="The 95% interval of the rank: 1 + the number of systems significantly better, and "
            "the number of systems - those significantly worse, Holm-adjusted over all pairs of the "
            "leaderboard. Null where the row was not compared, and where filters or later removals leave "
            "rows of the ranking out; the second number is null where systems that were not compared, "
            "because there are too many, may come before this one."
        ),
    ]
    tied_for_first: Annotated[
        bool | None,
        Meta(
            description="Whether no other system is significantly better, so that `rank_interval_95` "
            "begins at 1. Of filtered rows, or a past table from which rows were removed since: whether none "
            "of the remaining systems is. Null where the row was not compared."
        ),
    ]
    p_next: Annotated[
        float | None,
        Meta(
            description="Of the test against the next compared row, Holm-adjusted over all pairs of the "
            "leaderboard. Null where either was not compared, where `rank_interval_95` is null, and at "
            "feedback level overall."
        ),
    ]
    unmet_rules: Annotated[
        list[LeadRule],
        Meta(description="The rules of the leaderboard that keep it from a rank: keys of `rank_rules`."),
    ]
    not_tested: Annotated[
        WhyNot | None,
        Meta(
            description="Why the row was not tested task by task. One that is `reported`, or of "
            "`other-references`, is compared by its score and number of tasks."
        ),
    ]
    system_id: int
    system: Annotated[
        SystemSchema,
        Meta(
            description="As it was at the moment that is shown, but `code_url` and `paper_url` as they are "
            "today."
        ),
    ]
    team: str | None
    runs: Annotated[
        int | None,
        Meta(description="Number of runs behind the scores. Null where not computed here."),
    ]
    version: Annotated[str, Meta(description=VERSION)]
    commit: Annotated[str, Meta(description=COMMIT)]
    run_url: Annotated[str, Meta(description=RUN_URL)]
    note: Annotated[str, Meta(description=NOTE)]
    provenance: Annotated[ProvenanceLevel | None, Meta(description=f"{PROVENANCE} Null without a file.")]
    repository: Annotated[str, Meta(description=REPOSITORY)]
    trace: Annotated[Trace | None, Meta(description=HELD_TRACE)]
    right: Annotated[int | None, Meta(description="Null where a publication printed the score alone.")]
    total: int | None
    score: Annotated[float | None, Meta(description=f"The figure that is ranked. {UPPER_END}")]
    metric: MetricKey
    interval_95: Interval | None
    interval_clusters: IntervalClusters
    metrics: dict[str, float | None]
    breakdowns: Rates
    group_metrics: GroupMetrics
    date: Timestamp
    chosen_before_score: Annotated[
        bool | None,
        Meta(
            description="Whether its team decided to publish this result before it was scored. Null where it "
            "was not rescored here."
        ),
    ]
    designation: Annotated[
        int | None,
        Meta(
            description="Which designated file of its system it is, from 1, over all versions of the system. "
            "Null if it was not designated."
        ),
    ]
    files_of_system: Annotated[
        int | None,
        Meta(description="Files of the system that had been scored when this result became its entry."),
    ]
    files_of_team: Annotated[int | None, Meta(description="The same for all systems of its team.")]
    submission: Annotated[str | None, Meta(description="Null too if it has been removed.")]
    gone: Annotated[
        GoneSchema | None,
        Meta(description="In a past table: why the row has since been removed. Null if it has not."),
    ]
    references: ReferencesSchema | None
    scorer_version: str | None
    outdated: Annotated[
        bool, Meta(description="Scored against reference answers that the leaderboard no longer uses.")
    ]
    source: Annotated[SourceSchema | None, Meta(description="Of a row that was not rescored: where from.")]


class AsOfSchema(Struct, kw_only=True):
    event: Annotated[int, Meta(description="The last event of the leaderboard's record until then.")]
    at: Timestamp


class LeadSchema(Struct, kw_only=True):
    """Since when a system has been significantly better than every other that was compared."""

    system_id: int
    since: Timestamp
    new_entries: Annotated[
        int, Meta(description="Number of systems that are compared now, and were not compared then.")
    ]


class WorkedSchema(Struct, kw_only=True):
    judge: Annotated[str, Meta(description="Whose rows; empty: all together.")]
    method_version: int
    is_clustered: Annotated[
        bool, Meta(description="Whether the tests allow for clusters of tasks that depend on each other.")
    ]
    has_open: Annotated[
        bool,
        Meta(
            description="Whether the judge left answers open. Each claim holds whichever way they turn out."
        ),
    ]
    tasks: int
    systems: Annotated[int, Meta(description="Number of compared systems.")]
    left_out: Annotated[int, Meta(description="Number of systems beyond the most that are compared.")]
    computed_at: Timestamp
    digest: Annotated[str, Meta(description="Keyed digest of all that went in: the same for the same input.")]
    lead: Annotated[
        LeadSchema | None,
        Meta(
            description="Since when the first system has been significantly better than every other, each "
            "time that the tests were run; null where it is not, or where that is not known."
        ),
    ]


class StatisticsSchema(Struct, kw_only=True):
    method: Annotated[str, Meta(description="Of `rank_interval_95` and `tied_for_first`, in words.")]
    by_judge: Annotated[
        list[WorkedSchema],
        Meta(description="Empty until they are worked out, in the background."),
    ]


class BoardSchema(Struct, kw_only=True):
    benchmark: str
    feedback: Feedback
    systems_rescored: int
    systems_reported: int
    baselines: Annotated[int, Meta(description="Agents without a model, to be compared with.")]
    judges: Annotated[dict[str, int], Meta(description="Ranked rows by the judge that decided on them.")]
    mixes_judges: bool
    ranks: Annotated[str, Meta(description="What a rank is among, in a sentence.")]
    sort: str
    count: int
    page: int
    pages: int
    next: NextPage
    event: Annotated[int, Meta(description="`?as_of=` with it gives this table again.")]
    references: ReferencesSchema | None
    scorer_version: str
    statistics: StatisticsSchema
    as_of: Annotated[AsOfSchema | None, Meta(description="The moment that was asked for; null: now.")]
    rows: list[RowSchema]


class ChangeSchema(Struct, kw_only=True):
    event: Annotated[int, Meta(description="`?as_of=` with it gives the leaderboard as it was after it.")]
    at: Timestamp
    action: BoardAction
    system_id: int | None
    system: str
    reason: str
    right: int | None
    total: int | None
    score: float | None
    score_upper: ScoreUpper
    score_before: Annotated[float | None, Meta(description="Of a rescored result.")]
    submission: Annotated[str | None, Meta(description="While it is published.")]
    on_board: Annotated[bool, Meta(description="Whether the result is its system's row of today.")]
    gone: Annotated[GoneSchema | None, Meta(description="Why the result was removed; null if it was not.")]


class ChangesSchema(Struct, kw_only=True):
    benchmark: str
    count: int
    page: int
    pages: int
    next: NextPage
    results: list[ChangeSchema]


class BestScoreSchema(Struct, kw_only=True):
    """A record. Results exceed it by their scores without the answers that a judge left open."""

    at: Annotated[Timestamp, Meta(description="When the result was published.")]
    system_id: int
    system: str
    kind: Kind
    judge: JudgeIdentity
    score: float
    score_upper: ScoreUpper
    interval_95: Interval | None


class BestScoresSchema(Struct, kw_only=True):
    benchmark: str
    metric: MetricKey
    results: list[BestScoreSchema]
