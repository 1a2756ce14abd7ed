"""How much of what a question needs was retrieved: the official figures, and the paper's beside them.

Source: FHIR-AgentBench, section 4.1 and its evaluator. Where the two differ, the published numbers are
the evaluator's, so its quirks are kept:

- Only the types that the truth has are looked at: what was retrieved of other types costs nothing.
- The types of the true ids are forgotten: an id counts under whichever true type it was retrieved.
- Recall is all or nothing.
- Precision counts an id as often as it was retrieved.
- A string instead of a list is taken apart into its characters, an object into its keys; null and
  numbers are passed over. A list with objects or lists in it stops the evaluator: ResourcesInvalid.
- A question without true resources has precision and recall 1 whatever was retrieved, unless something
  was retrieved of a type that the truth lists without ids.
"""

import json
from collections.abc import Iterable, Mapping, Set
from typing import Any, NamedTuple

from scoring.fhir_agentbench.reading.literals import parse_literal

# Where the runner keeps what went wrong: no type, and never a true one.
_ERRORS = "error"
# What a Python literal can hold a list as; a file keeps all of them as lists.
_LISTS = (list, tuple, set)


class ResourcesInvalid(ValueError):
    """The official evaluator stops at these resources: an id is an object or a list."""


class RetrievalFigures(NamedTuple):
    """Figures of one question, in 0..1; None is left out of the means.

    precision, recall: official. precision_all_types, recall_fraction: the paper's formulas, over the
    set of all (type, id) retrieved.
    """

    precision: float | None
    recall: float | None
    precision_all_types: float | None
    recall_fraction: float | None


class GoldResources:
    """The true ids of one question, made ready for counting."""

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
    """Return the figures of one question.

    true_fhir_ids: ids by resource type; None as {}. agent_fhir_resources: as it stands in a submission:
    an object, its text as JSON or as a Python literal, or anything else, which is nothing.
    Raises ResourcesInvalid.
    """
    return retrieval(GoldResources(true_fhir_ids or {}), read_resources(agent_fhir_resources))


def read_resources(value: Any) -> dict[str, Any] | None:
    """Return the object that `value` is or, as text, holds; None for anything else, NaN among it."""
    if isinstance(value, str):
        value = _parse(value)
    return value if isinstance(value, dict) else None


def retrieval(truth: GoldResources, resources: Mapping[str, Any] | None) -> RetrievalFigures:
    """Return the figures of one question for `resources` by type. Raises ResourcesInvalid."""
    if not resources:
        return _NOTHING_FOUND if truth.ids else _NOTHING_TO_FIND
    try:
        return _of_lists(truth, resources)
    except TypeError:
        return _of_anything(truth, resources)


def _of_lists(truth: GoldResources, resources: Mapping[str, Any]) -> RetrievalFigures:
    """The way for lists of text, which nearly all resources are. Raises TypeError for others.

    A record can have thousands of ids: each is touched three times, and by nothing written in Python.
    """
    true_ids, by_type = truth.ids, truth.by_type
    predicted = hits = retrieved = found = 0
    covered: Set[str] = frozenset()
    for kind, values in resources.items():
        if not values or kind == _ERRORS:
            continue
        if type(values) is not list:
            raise TypeError
        # The cheapest question whether all are text.
        "".join(values)
        different = set(values)
        retrieved += len(different)
        if kind not in by_type:
            continue
        hit = true_ids & different
        count = len(values)
        predicted += count
        # Counted one by one only where an id stands there twice.
        hits += len(hit) if len(different) == count else sum(map(true_ids.__contains__, values))
        found += len(hit) if len(by_type) == 1 else len(by_type[kind] & different)
        covered = covered | hit if covered else hit
    return _retrieval(
        truth, predicted=predicted, hits=hits, covered=len(covered), retrieved=retrieved, found=found
    )


def _of_anything(truth: GoldResources, resources: Mapping[str, Any]) -> RetrievalFigures:
    """The same for whatever an object can hold."""
    predicted: list[Any] = []
    retrieved = found = 0
    for kind, values in resources.items():
        if kind == _ERRORS:
            continue
        texts = {v for v in values if isinstance(v, str)} if isinstance(values, _LISTS) else set[str]()
        retrieved += len(texts)
        if kind in truth.by_type:
            found += len(texts & truth.by_type[kind])
            # Of a text its characters, of an object its keys; nothing of what is no collection.
            predicted += values if isinstance(values, Iterable) else ()
    try:
        # Either can be the first to meet what is no id: the first line ends where all true ids were found.
        covered = len(truth.ids.intersection(predicted))
        hits = sum(map(truth.ids.__contains__, predicted))
    except TypeError:
        raise ResourcesInvalid("the resources of a type are objects or lists, not ids") from None
    return _retrieval(
        truth, predicted=len(predicted), hits=hits, covered=covered, retrieved=retrieved, found=found
    )


def _retrieval(
    truth: GoldResources, *, predicted: int, hits: int, covered: int, retrieved: int, found: int
) -> RetrievalFigures:
    """Work out the figures with the three edge rules: no truth, nothing retrieved, neither."""
    if truth.ids:
        precision = hits / predicted if predicted else None
        recall = 1.0 if covered == len(truth.ids) else 0.0
        return RetrievalFigures(
            precision, recall, found / retrieved if retrieved else None, found / truth.pairs
        )
    official = (0.0, None) if predicted else (1.0, 1.0)
    paper = (0.0, None) if retrieved else (1.0, 1.0)
    return RetrievalFigures(*official, *paper)


def _parse(text: str) -> Any:
    """Return what `text` holds as JSON, else as a Python literal, else None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return parse_literal(text)
    except ValueError:
        return None
