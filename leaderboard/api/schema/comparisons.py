"""Shapes of comparisons of systems."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from leaderboard.api.schema.common import Count, Interval, JudgeIdentity, MetricKey, Positive
from leaderboard.models import Kind
from leaderboard.services.statistics.compare import WhyHidden
from leaderboard.services.statistics.entry_comparison import EntryOutcome
from leaderboard.services.statistics.rank_statistics import WhyNot

FROM_BY_TYPE = "Null at feedback level overall, and where `why_hidden` says why."


class DifferenceSchema(Struct, kw_only=True):
    difference: Annotated[float, Meta(description="The first less the second, in the unit of the figure.")]
    interval_95: Interval


class GroupDifferenceSchema(DifferenceSchema, kw_only=True):
    tasks: int
    right_a: int
    right_b: int


class PairedTableSchema(Struct, kw_only=True):
    both: Annotated[int, Meta(description="Tasks that both got right. See `has_runs` for several runs.")]
    only_a: int
    only_b: int
    neither: int


class PairSchema(Struct, kw_only=True):
    a: Annotated[int, Meta(description="`system_id` of the first.")]
    b: int
    better: Annotated[
        int | None,
        Meta(description="`system_id` of the significantly better; null: not significantly different."),
    ]
    has_open: Annotated[
        bool,
        Meta(
            description="Whether a judge left answers of one of the two open. `p` is then the larger of two, "
            "with open answers as not right and in the worst case for the system ahead, `better` goes by it, "
            "and `interval_95` holds the intervals of all cases. `difference`, `table`, `right_a` and "
            "`right_b` count open answers as not right."
        ),
    ]
    has_runs: Annotated[
        bool,
        Meta(
            description="Whether a score is a mean over several runs. `only_a` and `only_b` are then the "
            "tasks on which this system's mean is higher, `both` and `neither` those on which they are "
            "equal, above 0 or at 0, and `groups` is empty."
        ),
    ]
    p: Annotated[
        float | None, Meta(description=f"Of the test of this pair alone, two-sided. {FROM_BY_TYPE}")
    ] = None
    pairs: Annotated[
        int | None,
        Meta(description="Number of pairs of the leaderboard that are tested together."),
    ]
    undecided_pairs: Annotated[
        int | None,
        Meta(
            description="How many of these do not differ significantly, at least 1. A pair differs "
            "significantly, and has a `better`, exactly if its p times this number is below .05: the last "
            "step of Holm's procedure over all pairs, as on the leaderboard."
        ),
    ]
    difference: Annotated[float | None, Meta(description="Of the rates, a less b.")]
    interval_95: Annotated[Interval | None, Meta(description=FROM_BY_TYPE)]
    table: Annotated[PairedTableSchema | None, Meta(description=FROM_BY_TYPE)]
    why_hidden: Annotated[
        WhyHidden | None,
        Meta(
            description="Why counts, p-values and intervals are left out though the feedback level shows "
            "them: a count below 5 or fewer than 30 tasks, or a system that answered less than 90% of them. "
            "Always null where references are public."
        ),
    ]
    metrics: dict[str, DifferenceSchema | None]
    groups: dict[str, dict[str, GroupDifferenceSchema]]
    only_a: Annotated[list[str] | None, Meta(description="Tasks; from feedback level by-task on.")]
    only_b: list[str] | None


class EntryGroupSchema(Struct, kw_only=True):
    tasks: Positive
    right: Annotated[Count, Meta(description="Of these, by the result.")]
    right_of_entry: Count


class EntryComparisonSchema(Struct, kw_only=True):
    """A result beside the entry of its system, task by task."""

    submission: UUID
    entry: Annotated[
        UUID | None, Meta(description="Whose result is the entry; null while none is published.")
    ]
    outcome: Annotated[
        EntryOutcome | None,
        Meta(
            description="`better`, `worse`: the result differs significantly from the entry, by a paired "
            "test by task, two-sided, at 5%. Null where they are not tested."
        ),
    ]
    explanation: Annotated[str, Meta(description="Of `outcome`, in a sentence.")]
    p: Annotated[
        float | None,
        Meta(
            description="Null where the feedback level hides it, and on leaderboards with hidden reference "
            "answers unless the level is by-task or above and the result was published."
        ),
    ]
    groups: Annotated[
        dict[str, dict[str, EntryGroupSchema]],
        Meta(description="By breakdown and group; empty where `p` is null, and of several runs."),
    ]


class SideSchema(Struct, kw_only=True):
    system_id: int
    name: str
    kind: Kind
    judge: JudgeIdentity
    score: float | None
    interval_95: Interval | None
    not_tested: WhyNot | None


class ComparisonSchema(Struct, kw_only=True):
    benchmark: str
    metric: MetricKey
    tasks: Annotated[int, Meta(description="That the test is about; 0 where nothing could be tested.")]
    resamples: Annotated[int, Meta(description="Of the intervals of `metrics`, where tasks are independent.")]
    text: Annotated[str, Meta(description="The answer in a sentence, as the page gives it.")]
    not_tested: Annotated[WhyNot | None, Meta(description="Why the two are not tested; null where they are.")]
    systems: list[SideSchema]
    pair: Annotated[PairSchema | None, Meta(description="The test; null where there is none.")]
