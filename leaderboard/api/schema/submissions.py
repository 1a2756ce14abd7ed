"""Shapes of submissions and of checks."""

from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from leaderboard.api.schema.common import (
    COMMIT,
    HELD_TRACE,
    NOTE,
    PROVENANCE,
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
from leaderboard.http.problems import ByCode, ProblemSchema
from leaderboard.models import ProvenanceLevel, Status, Trace
from leaderboard.services.record.entry import EntryReason
from leaderboard.services.submissions.decide import NotApplied

_WHILE_ROUNDED = "while the result is rounded"
RoundedTo = Annotated[
    float | None,
    Meta(
        description="The step to which `score` is rounded, such as 0.01: on leaderboards "
        "with hidden reference answers, "
        "until the result is published. Null where it is exact, to three decimals."
    ),
]


class RunResultSchema(Struct, kw_only=True):
    """One of several runs, as the official graders count it."""

    right: Count
    total: Positive
    score: Annotated[float, Meta(ge=0, le=1)]
    metrics: dict[str, float | None]


class SpreadSchema(Struct, kw_only=True):
    """How much several runs differ."""

    deviation: Annotated[
        float, Meta(description="Sample standard deviation of the scores of the runs, 0 or more.")
    ]
    passes: Annotated[
        list[float | None],
        Meta(
            description="pass^k for k = 1, 2, …: the probability that k randomly chosen runs all solve a "
            "task, averaged over tasks. The first is the mean of the runs, the last the share of tasks that "
            "every run got right. On leaderboards with hidden reference answers those between are null."
        ),
    ]
    flips: Annotated[
        float,
        Meta(ge=0, le=1, description="Share of the tasks correct in some runs and wrong in others."),
    ]
    rounded_to: Annotated[
        float | None,
        Meta(
            description="The step to which these but the first of `passes` are rounded, on leaderboards with "
            "hidden reference answers; else null."
        ),
    ]


class ResultSchema(Struct, kw_only=True):
    runs: Annotated[Positive, Meta(description="Runs that were declared, sent or not.")]
    right: Annotated[
        Count | None, Meta(description=f"Of all runs; a task counts once a run. Null {_WHILE_ROUNDED}.")
    ]
    total: Annotated[
        Positive, Meta(description="Every task of the benchmark, sent or not, once a run where `right` is.")
    ]
    score: Annotated[float, Meta(ge=0, le=1, description=f"The figure that is ranked. {UPPER_END}")]
    rounded_to: RoundedTo
    metric: MetricKey
    interval_95: Annotated[
        Interval | None,
        Meta(
            description="Wilson score interval, 0..1, or where there are `interval_clusters`, one that "
            f"allows for them. Null {_WHILE_ROUNDED}."
        ),
    ]
    interval_clusters: IntervalClusters
    metrics: Annotated[
        dict[str, float | None],
        Meta(description=f"To three decimals; only that of `metric` {_WHILE_ROUNDED}, as `score`."),
    ]
    breakdowns: Rates
    group_metrics: GroupMetrics
    spread: Annotated[SpreadSchema | None, Meta(description=f"Null for a single run, and {_WHILE_ROUNDED}.")]
    per_run: Annotated[
        list[RunResultSchema] | None,
        Meta(
            description="Null for a single run. On leaderboards with hidden reference answers at "
            "feedback level by-task "
            "and above, once published."
        ),
    ]


class SameAnswersSchema(Struct, kw_only=True):
    id: UUID
    version: Annotated[str, Meta(description=VERSION)]
    commit: Annotated[str, Meta(description=COMMIT)]


class RankSchema(Struct, kw_only=True):
    best: Positive
    worst: Annotated[
        Positive,
        Meta(
            description="The same as `best`, unless the result is rounded or open answers "
            "leave the order open."
        ),
    ]
    systems: Annotated[Positive, Meta(description="How many systems are ranked together, with itself.")]


class EntrySchema(Struct, kw_only=True):
    """The result that the leaderboard shows for a system."""

    submission: Annotated[UUID, Meta(description="Whose result it is.")]
    url: str
    is_this: Annotated[bool, Meta(description="Whether it is the result of this submission.")]
    score: Annotated[float, Meta(ge=0, le=1, description="The figure that is ranked, to three decimals.")]
    score_upper: ScoreUpper
    reason: Annotated[
        EntryReason,
        Meta(
            description="Why it is this one; the score never decides. `only-result`: the system has no other "
            "published result. `designated-last`: the first of its version that was sent with "
            "`designate`, of the newest version. `sent-first`: the first one that was sent with `publish`, "
            "before it had a score. `published-first`: the first one that was published once its score was "
            "known."
        ),
    ]
    explanation: Annotated[str, Meta(description="The same in a sentence; “it” is the entry.")]


class ScoredBySchema(Struct, kw_only=True):
    references: ReferencesSchema
    unusable_tasks: Annotated[Count, Meta(description=UNUSABLE)]
    scorer_version: str
    judge: JudgeIdentity
    at: Timestamp


class RunFileSchema(Struct, kw_only=True):
    run: Positive
    name: str
    sha256: str
    size_bytes: Count
    count: Annotated[Count | None, Meta(description="Its records; null until it is checked.")] = None
    same_as: Annotated[
        Positive | None, Meta(description="The run whose answers it repeats; null where it is another run.")
    ] = None
    is_copy: Annotated[
        bool, Meta(description="Whether the times in the logs of the two are the same too.")
    ] = False


class FileSchema(Struct, kw_only=True):
    sha256: Annotated[
        str,
        Meta(
            description="Of several runs: the SHA-256 of a text with the sorted digests of the files, in "
            "hexadecimal digits with a line feed after each; for a declared run without a file, the line "
            "`missing`, which comes last."
        ),
    ]
    size_bytes: Annotated[Count, Meta(description="Of several runs, with what keeps them together.")]
    format: str


class TaskSchema(Struct, kw_only=True):
    task_id: str
    correct: Annotated[
        bool | None, Meta(description="In every run. Null where the rules left the answer open.")
    ]
    right_runs: Annotated[Count, Meta(description="In how many runs it is right.")]
    remark: str
    failures: Annotated[
        list[str],
        Meta(description="What is wrong in any run, from feedback level by-check on; empty elsewhere."),
    ]


class ProgressSchema(Struct, kw_only=True):
    total: Annotated[Positive, Meta(description="Tasks of the benchmark.")]
    read: Annotated[Count, Meta(description="Records read so far.")]
    to_judge: Annotated[
        Count | None,
        Meta(
            description="Answers that a judge has to decide; 0 until all records are read. Null, as the next "
            "two and `seconds_left`, on leaderboards with hidden reference answers."
        ),
    ]
    judged: Annotated[Count | None, Meta(description="Of these, decided.")]
    undecided: Annotated[
        Count | None,
        Meta(description="Of these, given up for now; they count as nothing, and are tried again."),
    ]
    seconds_left: Annotated[int | None, Meta(description="An estimate; null while unknown.")]
    judged_share: Annotated[
        float | None,
        Meta(description="The share that is decided, in tenths; null until all records are read."),
    ]


class CiJobSchema(Struct, kw_only=True):
    """What an issuer signed about a CI job."""

    issuer: str
    repository: str
    repository_id: Annotated[str, Meta(description="The issuer's own id of it, which a renamed one keeps.")]
    workflow: Annotated[str, Meta(description="Path of the workflow file in the repository.")]
    ref: Annotated[str, Meta(description="Branch or tag.")]
    commit: str
    environment: Annotated[str, Meta(description="Empty for none.")]
    run_url: Annotated[str, Meta(description="Page of the run.")]
    artifact_sha256: Annotated[
        str, Meta(description="Digest of the file that the issuer signed for the job; empty for none.")
    ]


class MeanSchema(Struct, kw_only=True):
    mean: float
    tasks: Annotated[int, Meta(description="Tasks of all runs that state the quantity.")]


class FromLogSchema(Struct, kw_only=True, omit_defaults=True):
    """What the file states of its runs beside the answers; a member is left out where it states nothing."""

    attempts: Annotated[int, Meta(description="Tasks of all runs in the file.")]
    cost_per_task: Annotated[MeanSchema | None, Meta(description="US dollars.")] = None
    seconds_per_task: MeanSchema | None = None
    input_tokens_per_task: Annotated[MeanSchema | None, Meta(description="Cached ones included.")] = None
    cached_tokens_per_task: MeanSchema | None = None
    output_tokens_per_task: MeanSchema | None = None
    rounds_per_task: Annotated[MeanSchema | None, Meta(description="Turns of the model.")] = None
    models: list[str] = []
    harness: str = ""
    temperatures: list[float] = []
    run_on: Annotated[str | None, Meta(description="Day of the first attempt, in UTC.")] = None


class SubmissionSchema(Struct, kw_only=True):
    id: UUID
    url: str
    status: Status
    published: bool
    benchmark: str
    unranked: Annotated[
        bool,
        Meta(description="Whether it is on an unranked lane: it is never published, and ranked nowhere."),
    ]
    team: str
    system: SystemSchema
    result: Annotated[
        ResultSchema | None,
        Meta(description="Once scored, as far as the benchmark's feedback level shows it."),
    ]
    entry: Annotated[
        EntrySchema | None,
        Meta(
            description="The result that the leaderboard shows for the system, which may be another one. "
            "Null while no result of the system is published there."
        ),
    ]
    scored_by: ScoredBySchema | None
    file: FileSchema
    runs: Annotated[Positive, Meta(description="Runs that were declared, sent or not.")]
    retries: Annotated[str, Meta(description="What was run again, and why, as the submitter declares it.")]
    deterministic: Annotated[
        bool | None,
        Meta(description="Whether every run gives the same answers, as the submitter declares."),
    ]
    same_files: Annotated[
        Count,
        Meta(
            description="Files of its runs that have the same answers as another one, and no time in their "
            "logs that tells them apart."
        ),
    ]
    designation: Annotated[
        Positive | None,
        Meta(
            description="Which of the files that were designated of its system on the leaderboard, from 1. "
            "Null if it was not designated."
        ),
    ]
    version: Annotated[str, Meta(description=VERSION)]
    commit: Annotated[str, Meta(description=COMMIT)]
    run_url: Annotated[str, Meta(description=RUN_URL)]
    note: Annotated[str, Meta(description=NOTE)]
    provenance: Annotated[ProvenanceLevel, Meta(description=PROVENANCE)]
    ci_job: Annotated[CiJobSchema | None, Meta(description="Verified; null for an account.")]
    trace: Annotated[Trace | None, Meta(description=f"{HELD_TRACE} Known once it is scored.")]
    from_log: Annotated[
        FromLogSchema | None, Meta(description="What the file states of its runs; null for answers alone.")
    ]
    received_at: Timestamp
    scored_at: Timestamp | None
    published_at: Timestamp | None
    # The rest is for the submission's own team.
    filename: str | UnsetType = UNSET
    run_files: Annotated[
        list[RunFileSchema] | UnsetType, Meta(description="The files of several runs, in their order.")
    ] = UNSET
    failure: Annotated[str | UnsetType, Meta(description="Why it failed.")] = UNSET
    progress: Annotated[
        ProgressSchema | UnsetType | None,
        Meta(description="How far scoring has come, while it is on its way."),
    ] = UNSET
    waits_for: Annotated[
        str | UnsetType,
        Meta(
            description="Of an incomplete one, why: provider-down, provider-refused, budget-spent, "
            "reply-unusable, judge-not-set-up, "
            "judge-without-day-budget, judge-not-declared or judge-unavailable."
        ),
    ] = UNSET
    resume_at: Annotated[
        Timestamp | UnsetType | None, Meta(description="When an incomplete one is tried again.")
    ] = UNSET
    problems: list[ProblemSchema] | UnsetType = UNSET
    problems_total: int | UnsetType = UNSET
    problems_by_code: ByCode | UnsetType = UNSET
    warnings: list[ProblemSchema] | UnsetType = UNSET
    warnings_total: int | UnsetType = UNSET
    warnings_by_code: ByCode | UnsetType = UNSET
    withdrawn_at: Timestamp | UnsetType | None = UNSET
    withdrawal_reason: str | UnsetType = UNSET
    disqualified_at: Annotated[
        Timestamp | UnsetType | None,
        Meta(
            description="When the organisers took it off the leaderboard; it cannot be "
            "published or withdrawn then."
        ),
    ] = UNSET
    disqualification_reason: str | UnsetType = UNSET
    rank: Annotated[
        RankSchema | UnsetType | None,
        Meta(
            description="By score alone, among the published results of other systems: the rank that it has, "
            "or would have if it were published. Null until it is scored, and where it does not meet "
            "the rules of the leaderboard for a rank."
        ),
    ] = UNSET
    tasks: Annotated[
        list[TaskSchema] | UnsetType | None, Meta(description="From feedback level by-task on.")
    ] = UNSET
    same_answers: Annotated[
        SameAnswersSchema | UnsetType | None,
        Meta(
            description="The team's first submission to the leaderboard with the same answers, in whatever "
            "bytes, that was sent before. Null without one, and until it is scored."
        ),
    ] = UNSET
    notice: str | UnsetType = UNSET
    not_applied: Annotated[
        list[NotApplied] | UnsetType,
        Meta(
            description="Where the files were sent before: what of this request does not hold for the "
            "earlier submission, which is shown. `system`: it is of another system. `facts`, "
            "`retries`, `deterministic`, `release`: others were stated then. `publish`: it was withdrawn, "
            "disqualified, or is of another system, other facts, version or commit. `designate`: its score "
            "was known, or its version has a designated file. `provenance`: less was known about where it "
            "came from."
        ),
    ] = UNSET
    facts_not_applied: Annotated[
        list[str] | UnsetType,
        Meta(
            description="Facts about the system that the request states and that its system does not have: "
            "those of a public system are applied when the result is published."
        ),
    ] = UNSET


class LineSchema(Struct, kw_only=True):
    id: UUID
    url: str
    status: Status
    published: bool
    benchmark: str
    system: str
    version: Annotated[str, Meta(description=VERSION)]
    commit: Annotated[str, Meta(description=COMMIT)]
    score: float | None
    rounded_to: RoundedTo
    metric: MetricKey
    problems_total: int
    sha256: str
    received_at: Timestamp


class SubmissionPageSchema(Struct, kw_only=True):
    count: int
    page: int
    pages: int
    next: NextPage
    results: list[LineSchema]


class UnreadAnswerSchema(Struct, kw_only=True):
    """An answer without a form that the rules can read."""

    task: Annotated[str, Meta(description="The id of the task.")]
    answer: Annotated[
        str, Meta(description="Its beginning; empty on leaderboards with data under an agreement.")
    ]
    run: Annotated[int | UnsetType, Meta(description="Of several runs, its number, from 1.")] = UNSET


class AnswerFormsSchema(Struct, kw_only=True):
    """How many answers have a form that the rules can read. No reference answer is looked at."""

    answers: Annotated[int, Meta(description="Answers that are text, and that a judge would get.")]
    readable: Annotated[int, Meta(description="Those of them with such a form.")]
    is_part: Annotated[
        bool, Meta(description="Whether the time did not suffice for all: the numbers are of the first ones.")
    ]
    unread: Annotated[list[UnreadAnswerSchema], Meta(description="The first five without such a form.")]
    write: Annotated[str, Meta(description="What to write, so that the rules find the answer.")]


class ValidationSchema(Struct, kw_only=True):
    valid: bool
    benchmark: str
    format: str
    results: Annotated[int, Meta(description="Results in the file, or in all files together.")]
    runs: Annotated[Positive, Meta(description="How many files were read.")]
    tasks: Annotated[int, Meta(description="Tasks of the benchmark; one that is missing counts as wrong.")]
    from_log: Annotated[
        FromLogSchema | None, Meta(description="What the file states of its runs; null for answers alone.")
    ]
    warnings: list[ProblemSchema]
    warnings_total: int
    warnings_by_code: ByCode
    answer_forms: Annotated[
        AnswerFormsSchema | None,
        Meta(description="Null on leaderboards where no rules alone judge free text."),
    ]
