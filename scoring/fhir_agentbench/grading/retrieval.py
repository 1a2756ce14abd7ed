"""Compute retrieval precision and recall of one question: official, and as in the paper.

Source: FHIR-AgentBench, section 4.1 and its evaluator. Where the two differ, the published numbers come
from the evaluator, so its quirks are kept:

- Only the gold resources' types count: retrieving resources of other types costs nothing.
- The types of the gold ids are ignored: an id counts under any gold type under which it was retrieved.
- Recall is all or nothing.
- Precision counts an id as often as it was retrieved.
- A string instead of a list is split into its characters, an object into its keys; null and numbers are
  ignored. A list that contains objects or lists makes the evaluator fail: ResourcesInvalid.
- A question without gold resources has precision and recall 1 whatever was retrieved, unless something
  was retrieved of a type that the gold resources list without ids.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from wardboard.scoring.fhir_agentbench.reading.literals import parse_literal

# The runner's list of errors; not a resource type.
_ERROR_KEY = "error"
# A list as a Python literal can write it; records read from a file only have lists.
_LISTS = (list, tuple, set)


class ResourcesInvalid(ValueError):
    """The official evaluator fails on these resources: an id is an object or a list."""


class RetrievalFigures(NamedTuple):
    """The figures of one question, each 0..1 or None, which the means leave out.

    - precision, recall: by the official evaluator.
    - precision_all_types, recall_fraction: by the paper's formulas, over the set of (type, id) retrieved.
    """

    precision: float | None
    recall: float | None
    precision_all_types: float | None
    recall_fraction: float | None


class GoldResources:
    """The gold resource ids of one question, indexed for counting."""

    __slots__ = ("by_type", "ids", "pairs")

    def __init__(self, true_ids: Mapping[str, Iterable[str]]) -> None:
        self.by_type = {kind: frozenset(ids) for kind, ids in true_ids.items()}
        self.ids = frozenset[str]().union(*self.by_type.values())
        self.pairs = sum(map(len, self.by_type.values()))


_NOTHING_TO_FIND = RetrievalFigures(1.0, 1.0, 1.0, 1.0)
_NOTHING_FOUND = RetrievalFigures(None, 0.0, None, 0.0)


def score_retrieval(
    true_fhir_ids: Mapping[str, Iterable[str]] | None, agent_fhir_resources: Any
) -> RetrievalFigures:
    """Return the retrieval figures of one question.

    true_fhir_ids: the gold ids by resource type; None means {}. agent_fhir_resources: as in a submission:
    an object, the text of one in JSON or as a Python literal, or anything else, which counts as nothing.
    Raises ResourcesInvalid.
    """
    return compute_retrieval(GoldResources(true_fhir_ids or {}), read_resources(agent_fhir_resources))


def read_resources(value: Any) -> dict[str, Any] | None:
    """Return the object that `value` is, or holds as text; None for anything else, such as NaN."""
    if isinstance(value, str):
        value = _parse(value)
    return value if isinstance(value, dict) else None


def compute_retrieval(gold: GoldResources, resources: Mapping[str, Any] | None) -> RetrievalFigures:
    """Return the retrieval figures for `resources` by type. Raises ResourcesInvalid."""
    if not resources:
        return _NOTHING_FOUND if gold.ids else _NOTHING_TO_FIND
    predicted: list[Any] = []
    retrieved = matched = 0
    for kind, values in resources.items():
        if kind == _ERROR_KEY:
            continue
        texts = {v for v in values if isinstance(v, str)} if isinstance(values, _LISTS) else set[str]()
        retrieved += len(texts)
        if kind in gold.by_type:
            matched += len(texts & gold.by_type[kind])
            # A string adds its characters, an object its keys, other values nothing.
            predicted += values if isinstance(values, Iterable) else ()
    try:
        # Either line can be the first to raise: the first stops early once all gold ids are found.
        covered = len(gold.ids.intersection(predicted))
        hits = sum(map(gold.ids.__contains__, predicted))
    except TypeError:
        raise ResourcesInvalid("the resources of a type are objects or lists, not ids") from None
    if not gold.ids:
        official = (0.0, None) if predicted else (1.0, 1.0)
        paper = (0.0, None) if retrieved else (1.0, 1.0)
        return RetrievalFigures(*official, *paper)
    return RetrievalFigures(
        precision=hits / len(predicted) if predicted else None,
        recall=1.0 if covered == len(gold.ids) else 0.0,
        precision_all_types=matched / retrieved if retrieved else None,
        recall_fraction=matched / gold.pairs,
    )


def counts_retrieved(gold: GoldResources, figures: RetrievalFigures) -> bool:
    """Return whether the official precision counts anything that was retrieved for the question."""
    # Where nothing is needed, precision is 1 exactly if nothing counts, and 0 else.
    return figures.precision is not None if gold.ids else figures.precision == 0


def _parse(text: str) -> Any:
    """Parse `text` as JSON, else as a Python literal; None if it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return parse_literal(text)
    except ValueError:
        return None
