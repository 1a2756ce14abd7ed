"""Breakdowns of the questions: by type and number of gold resources, and by precision."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from wardboard.scoring.benchmark import Breakdown
from wardboard.scoring.fhir_agentbench.grading.figures import (
    GradedQuestion,
    count_retrieval,
    mean_retrieval,
    rate_of,
)
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.verdicts import Rate

# Questions without gold resources, which table A3 calls "Empty".
_NO_RESOURCE = "No resource"
# Source of the other labels and of the order: FHIR-AgentBench, table A3.
_TYPES = {
    "condition": "Condition",
    "encounter": "Encounter",
    "location": "Location",
    "medication": "Medication/MedicationRequest",
    "observation": "Observation",
    "patient": "Patient",
    "procedure": "Procedure",
    "empty": _NO_RESOURCE,
}
# Groups of questions that the paper does not have.
_PRIVATE_TYPES = {"other": "Other", "unknown": "Not known"}
_KEY_OF_TYPES = {label: key for key, label in _TYPES.items()}

# Highest number of gold resources in a group -> its key and label.
_COUNT_GROUPS = {
    0: ("0", _NO_RESOURCE),
    1: ("1", "1"),
    5: ("2-5", "2–5"),
    20: ("6-20", "6–20"),
    100: ("21-100", "21–100"),
}
_LAST_COUNT_GROUP = ("over-100", "Over 100")

# Key -> label; a bucket includes its lower bound only. Source: FHIR-AgentBench, figure 4.
_BUCKETS = {
    "0": "0 to under 0.2",
    "0.2": "0.2 to under 0.4",
    "0.4": "0.4 to under 0.6",
    "0.6": "0.6 to under 0.8",
    "0.8": "0.8 to under 1",
    "1": "1",
}

# Group sizes of the published benchmark, 2,931 questions. Source: the fractions in table A3.
PUBLISHED_SIZES: Mapping[str, int] = {
    "condition": 35,
    "encounter": 392,
    "location": 7,
    "medication": 498,
    "observation": 1146,
    "patient": 44,
    "procedure": 108,
    "empty": 701,
}
PUBLISHED_COUNT = sum(PUBLISHED_SIZES.values())

_RETRIEVAL = ("precision", "recall", "f1")

BREAKDOWNS: tuple[Breakdown, ...] = (
    Breakdown(key="resource_type", label="Resource type", groups=_TYPES | _PRIVATE_TYPES, metrics=_RETRIEVAL),
    Breakdown(
        key="true_resources",
        label="Number of gold resources",
        groups=dict((*_COUNT_GROUPS.values(), _LAST_COUNT_GROUP)),
        ordered=True,
        metrics=_RETRIEVAL,
    ),
    Breakdown(
        key="precision_bucket",
        label="Precision, among questions with gold resources, all of them retrieved",
        groups=_BUCKETS,
        fixed=False,
        ordered=True,
    ),
)


def resource_type(reference: FhirReference) -> str:
    """Return the key of a question's group by its sorted gold resource types."""
    if reference.true_ids is None:
        return "unknown"
    return _KEY_OF_TYPES.get("/".join(sorted(reference.true_ids)) or _NO_RESOURCE, "other")


def are_published(version: str, references: Mapping[str, FhirReference]) -> bool:
    """Return whether these are the questions that were published: as many, and in groups of these sizes.

    version: of the leaderboard; one set of questions was published. A question whose gold resources are not
    known may be of any group.
    """
    sizes = Counter(map(resource_type, references.values()))
    del sizes["unknown"]
    is_within = all(size <= PUBLISHED_SIZES.get(key, 0) for key, size in sizes.items())
    return is_within and len(references) == PUBLISHED_COUNT


def true_resources(reference: FhirReference) -> str | None:
    """Return a question's group by its number of different gold resources; None if unknown."""
    if reference.true_ids is None:
        return None
    number = _count_ids(reference.true_ids)
    return next((key for most, (key, _) in _COUNT_GROUPS.items() if number <= most), _LAST_COUNT_GROUP[0])


def _count_ids(true_ids: Mapping[str, Iterable[str]]) -> int:
    return sum(len(set(ids)) for ids in true_ids.values())


def precision_bucket(reference: FhirReference, graded: GradedQuestion) -> str | None:
    """Return the bucket of a question whose gold resources were all retrieved; None for others.

    A question with nothing to find always has precision and recall 1, which is not informative.
    """
    if not reference.true_ids or not _count_ids(reference.true_ids):
        return None
    if graded.retrieval is None or graded.retrieval.recall != 1 or graded.retrieval.precision is None:
        return None
    # Rounding must not put 0.6 * 5 below 3.
    return tuple(_BUCKETS)[int(graded.retrieval.precision * 5 + 1e-9)]


# Breakdown key -> function that returns the key of a question's group, for fixed breakdowns.
_FIXED: Mapping[str, Callable[[FhirReference], str | None]] = {
    "resource_type": resource_type,
    "true_resources": true_resources,
}


def fixed_groups(references: Mapping[str, FhirReference]) -> dict[str, dict[str, str]]:
    """Return breakdown key -> task id -> group key for the fixed breakdowns."""
    return {
        breakdown: {
            task_id: key
            for task_id, reference in references.items()
            if (key := group_of(reference)) is not None
        }
        for breakdown, group_of in _FIXED.items()
    }


class GroupScores(NamedTuple):
    """Breakdown key -> group key -> rate, -> metrics, and -> number of questions of each metric.

    An empty group that only private questions can have is left out.
    """

    rates: dict[str, dict[str, Rate]]
    metrics: dict[str, dict[str, dict[str, float | None]]]
    counts: dict[str, dict[str, dict[str, int]]]


def group_questions(references: Sequence[FhirReference], graded: Sequence[GradedQuestion]) -> GroupScores:
    """Return rates and metrics of each group. graded: the results, in the order of `references`."""
    scores = GroupScores({}, {}, {})
    for breakdown in BREAKDOWNS:
        members: dict[str, list[GradedQuestion]] = {key: [] for key in breakdown.groups}
        for reference, question in zip(references, graded, strict=True):
            key = (
                _FIXED[breakdown.key](reference) if breakdown.fixed else precision_bucket(reference, question)
            )
            if key is not None:
                members[key].append(question)
        for key in _PRIVATE_TYPES:
            if not members.get(key, True):
                del members[key]
        scores.rates[breakdown.key] = {key: rate_of(questions) for key, questions in members.items()}
        if breakdown.metrics:
            scores.metrics[breakdown.key] = {
                key: mean_retrieval(questions) for key, questions in members.items()
            }
            scores.counts[breakdown.key] = {
                key: count_retrieval(questions) for key, questions in members.items()
            }
    return scores
