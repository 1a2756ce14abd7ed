"""What the server holds of the patients, read as the official graders read it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, NamedTuple

from scoring.fhir import FhirQueryFailed, FhirSource
from scoring.fhir.source import query_text
from scoring.medagentbench.grading.queries import queries_for
from scoring.reading.problems import quote


class Unusable(Exception):
    """No answer to the task can be right; the text tells the organiser why."""


class Observation(NamedTuple):
    """A lab value, of whatever JSON type the server gave, and when it was taken."""

    time: datetime  # with or without a zone
    recorded: str  # `time` as the server wrote it
    value: Any


@contextmanager
def official_raises(where: str) -> Iterator[None]:
    """Turn what the official grader would raise on into Unusable."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Unusable(f"{where}: the official grader raises {quote(error)}") from None


class Chart:
    """The answers of a FHIR source, each query asked and read once, also when it is no use."""

    def __init__(self, source: FhirSource) -> None:
        self._source = source
        # By query: what was read, or why it is unusable.
        self._read: dict[str, tuple[Any, str | None]] = {}

    def observations(self, task: Mapping[str, Any]) -> list[Observation]:
        """Return what the lab query of `task` finds, in the server's order.

        Raises Unusable (also when an entry that is too old to matter is malformed, as the official
        grader does) and FhirUnavailable.
        """
        found: list[Observation] = self._ask(task, _observations)
        return found

    def birth_date(self, task: Mapping[str, Any]) -> date:
        """Return the birth date of the first patient found. Raises Unusable and FhirUnavailable."""
        found: date = self._ask(task, _birth_date)
        return found

    def _ask(self, task: Mapping[str, Any], read: Callable[[Mapping[str, Any], str], Any]) -> Any:
        patient_of(task)
        [(resource_type, parameters)] = queries_for(task)
        query = query_text(resource_type, parameters)
        if query not in self._read:
            try:
                bundle = self._source.search(resource_type, **parameters)
                self._read[query] = read(bundle, query), None
            except (FhirQueryFailed, Unusable) as error:
                self._read[query] = None, str(error)
        found, unusable = self._read[query]
        if unusable is not None:
            raise Unusable(unusable)
        return found


def patient_of(task: Mapping[str, Any]) -> str:
    """Return the task's `eval_MRN`. Raises Unusable if it has none."""
    mrn = task.get("eval_MRN")
    if not isinstance(mrn, str) or not mrn:
        raise Unusable("the task has no `eval_MRN` that is a text: add it to the task file")
    return mrn


def last(observations: Sequence[Observation]) -> Observation | None:
    """Return the one with the greatest time, of equal times the first; None of none."""
    with official_raises("comparing the times"):
        return max(observations, key=lambda found: found.time, default=None)


def recent(observations: Sequence[Observation], since: datetime) -> list[Observation]:
    """Return those at `since` (with a zone) or later."""
    with official_raises("comparing the times"):
        return [found for found in observations if found.time >= since]


def _observations(bundle: Mapping[str, Any], query: str) -> list[Observation]:
    observations = []
    for number, entry in enumerate(bundle.get("entry", [])):
        with official_raises(f"entry {number} of {query}"):
            recorded = entry["resource"]["effectiveDateTime"]
            value = entry["resource"]["valueQuantity"]["value"]
            observations.append(
                Observation(time=datetime.fromisoformat(recorded), recorded=recorded, value=value)
            )
    return observations


def _birth_date(bundle: Mapping[str, Any], query: str) -> date:
    with official_raises(f"the first entry of {query}"):
        birth_date = bundle["entry"][0]["resource"]["birthDate"]
        return datetime.strptime(birth_date, "%Y-%m-%d").date()
