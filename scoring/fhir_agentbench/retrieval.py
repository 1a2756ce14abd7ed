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
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from scoring.fhir_agentbench._literal import parse_literal
from scoring.problems import quote

_ONLY_TEXT = {str}
# What a Python literal can hold a list as; a file keeps all of them as lists.
_LISTS = (list, tuple, set)


class ResourcesInvalid(ValueError):
    """The official evaluator stops at these resources: an id is an object or a list."""


class Retrieval(NamedTuple):
    """Figures of one question, in 0..1; None is left out of the means.

    precision, recall: official. precision_all_types, recall_fraction: the paper's formulas, over the
    set of all (type, id) retrieved.
    """

    precision: float | None
    recall: float | None
    precision_all_types: float | None
    recall_fraction: float | None


class Truth:
    """The true ids of one question, made ready for counting."""

    __slots__ = ("by_type", "ids", "pairs")

    def __init__(self, true_ids: Mapping[str, Iterable[str]]) -> None:
        self.by_type = {kind: frozenset(ids) for kind, ids in true_ids.items()}
        self.ids = frozenset[str]().union(*self.by_type.values())
        self.pairs = sum(map(len, self.by_type.values()))


_NOTHING_TO_FIND = Retrieval(1.0, 1.0, 1.0, 1.0)
_NOTHING_FOUND = Retrieval(None, 0.0, None, 0.0)


def score_retrieval(true_fhir_ids: Mapping[str, Iterable[str]] | None, agent_fhir_resources: Any) -> Retrieval:
    """Return the figures of one question.

    true_fhir_ids: ids by resource type; None as {}. agent_fhir_resources: as it stands in a submission:
    an object, its text as JSON or as a Python literal, or anything else, which is nothing.
    Raises ResourcesInvalid.
    """
    return retrieval(Truth(true_fhir_ids or {}), read_resources(agent_fhir_resources))


def read_resources(value: Any) -> dict[str, Any] | None:
    """Return the object that `value` is or, as text, holds; None for anything else, NaN among it."""
    if isinstance(value, str):
        value = _parse(value)
    return value if isinstance(value, dict) else None


def retrieval(truth: Truth, resources: Mapping[str, Any] | None) -> Retrieval:
    """Return the figures of one question for `resources` by type. Raises ResourcesInvalid."""
    if not resources:
        return _NOTHING_FOUND if truth.ids else _NOTHING_TO_FIND
    predicted = hits = retrieved = found = 0
    covered = frozenset[str]()
    for kind, values in resources.items():
        if not values:
            continue
        true_of_type = truth.by_type.get(kind)
        if true_of_type is None:
            retrieved += len(_texts(values))
            continue
        entries = _entries(values)
        different = _different(entries, kind)
        hit = truth.ids & different
        covered |= hit
        predicted += len(entries)
        # Counted one by one only where an entry stands there twice.
        once = len(different) == len(entries)
        hits += len(hit) if once else sum(map(truth.ids.__contains__, entries))
        only_text = isinstance(values, _LISTS) and set(map(type, different)) == _ONLY_TEXT
        texts = different if only_text else _texts(values)
        retrieved += len(texts)
        found += len(true_of_type & texts)
    complete = len(covered) == len(truth.ids)
    return Retrieval(
        *_figures(hits, predicted, len(truth.ids), float(complete)),
        *_figures(found, retrieved, truth.pairs, found / (truth.pairs or 1)),
    )


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


def _figures(hits: int, predicted: int, true: int, recall: float) -> tuple[float | None, float | None]:
    """Return precision and recall with the three edge rules of section 4.1."""
    if not true:
        return (0.0, None) if predicted else (1.0, 1.0)
    return (hits / predicted, recall) if predicted else (None, 0.0)


def _entries(values: Any) -> Collection[Any]:
    """Return what the evaluator makes of the resources of one type: of text its characters, of an object
    its keys, of what is no collection nothing."""
    if isinstance(values, list):
        return values
    return list(values) if isinstance(values, Iterable) else ()


def _different(entries: Collection[Any], kind: str) -> set[Any]:
    try:
        return set(entries)
    except TypeError:
        raise ResourcesInvalid(f"the resources of {quote(kind)} are objects or lists, not ids") from None


def _texts(values: Any) -> set[str]:
    """Return the ids that the paper's formulas count: the texts of a list."""
    if not isinstance(values, _LISTS):
        return set()
    if set(map(type, values)) == _ONLY_TEXT:
        return set(values)
    return {value for value in values if isinstance(value, str)}
