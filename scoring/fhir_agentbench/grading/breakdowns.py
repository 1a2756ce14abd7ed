"""The groups that questions are shown in: by type and number of true resources, by precision."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from scoring.benchmark import Breakdown
from scoring.fhir_agentbench.grading.figures import Graded, retrieval_figures
from scoring.fhir_agentbench.grading.references import FhirReference
from scoring.verdicts import Rate

# Labels and order: FHIR-AgentBench, table A3.
_TYPES = {
    "condition": "Condition",
    "encounter": "Encounter",
    "location": "Location",
    "medication": "Medication/MedicationRequest",
    "observation": "Observation",
    "patient": "Patient",
    "procedure": "Procedure",
    "empty": "Empty",
}
# Of questions that the paper does not have.
_MORE_TYPES = {"other": "Other", "unknown": "Not known"}
_KEY_OF_TYPES = {label: key for key, label in _TYPES.items()}

# Most true resources of a group -> its key and label.
_STEPS = {
    0: ("0", "None"),
    1: ("1", "1"),
    5: ("2-5", "2–5"),
    20: ("6-20", "6–20"),
    100: ("21-100", "21–100"),
}
_MOST = ("over-100", "Over 100")

# Key -> label; a bucket has its lower bound, not its upper. Source: FHIR-AgentBench, figure 4.
_BUCKETS = {
    "0": "0 to under 0.2",
    "0.2": "0.2 to under 0.4",
    "0.4": "0.4 to under 0.6",
    "0.6": "0.6 to under 0.8",
    "0.8": "0.8 to under 1",
    "1": "1",
}

# Sizes of the groups of the published benchmark, 2,931 questions. Source: the fractions of table A3.
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

_RETRIEVAL = ("precision", "recall", "f1")

BREAKDOWNS: tuple[Breakdown, ...] = (
    Breakdown(key="resource_type", label="Resource type", groups=_TYPES | _MORE_TYPES, metrics=_RETRIEVAL),
    Breakdown(
        key="true_resources",
        label="Number of true resources",
        groups=dict((*_STEPS.values(), _MOST)),
        ordered=True,
        metrics=_RETRIEVAL,
    ),
    Breakdown(
        key="precision_bucket",
        label="Precision, among questions with true resources, all of them retrieved",
        groups=_BUCKETS,
        fixed=False,
        ordered=True,
    ),
)


def resource_type(reference: FhirReference) -> str:
    """Return the key of the group of a question: its sorted true types."""
    if reference.true_ids is None:
        return "unknown"
    types = "/".join(sorted(reference.true_ids)) or "Empty"
    return _KEY_OF_TYPES.get(types, "other")


def true_resources(reference: FhirReference) -> str | None:
    """Return the key of the step that the number of different true resources is on; None: not known."""
    if reference.true_ids is None:
        return None
    number = _number_of(reference.true_ids)
    return next((key for most, (key, _) in _STEPS.items() if number <= most), _MOST[0])


def _number_of(true_ids: Mapping[str, Iterable[str]]) -> int:
    return sum(len(set(ids)) for ids in true_ids.values())


def precision_bucket(reference: FhirReference, graded: Graded) -> str | None:
    """Return the bucket of a question that has true resources, all of them retrieved; None for others.

    One with nothing to find has precision and recall 1 whatever was retrieved, which says nothing of it.
    """
    if not reference.true_ids or not _number_of(reference.true_ids):
        return None
    if graded.retrieval is None or graded.retrieval.recall != 1 or graded.retrieval.precision is None:
        return None
    # In fifths of whole numbers: 0.6 times 5 must not come out below 3.
    return tuple(_BUCKETS)[int(graded.retrieval.precision * 5 + 1e-9)]


# Of the fixed breakdowns: what a question's group follows from.
_FIXED: Mapping[str, Callable[[FhirReference], str | None]] = {
    "resource_type": resource_type,
    "true_resources": true_resources,
}


def fixed_groups(references: Mapping[str, FhirReference]) -> dict[str, dict[str, str]]:
    """Return breakdown key -> task id -> group key, of the fixed breakdowns; without who is in no group."""
    return {
        breakdown: {
            task_id: key
            for task_id, reference in references.items()
            if (key := group_of(reference)) is not None
        }
        for breakdown, group_of in _FIXED.items()
    }


class GroupScores(NamedTuple):
    """breakdown key -> group key -> rate, and -> figures beside it. A group that only private questions
    can have is left out where it is empty."""

    rates: dict[str, dict[str, Rate]]
    metrics: dict[str, dict[str, dict[str, float | None]]]


def group(references: Sequence[FhirReference], graded: Sequence[Graded]) -> GroupScores:
    """Return the groups of the questions `references`, with what came of each in the same order."""
    found = GroupScores({}, {})
    for breakdown in BREAKDOWNS:
        members: dict[str, list[Graded]] = {key: [] for key in breakdown.groups}
        for reference, one in zip(references, graded, strict=True):
            key = _FIXED[breakdown.key](reference) if breakdown.fixed else precision_bucket(reference, one)
            if key is not None:
                members[key].append(one)
        for key in _MORE_TYPES:
            if not members.get(key, True):
                del members[key]
        found.rates[breakdown.key] = {key: _rate(of) for key, of in members.items()}
        if breakdown.metrics:
            found.metrics[breakdown.key] = {key: retrieval_figures(of) for key, of in members.items()}
    return found


def _rate(graded: Sequence[Graded]) -> Rate:
    return Rate(right=sum(one.right for one in graded), total=len(graded))
