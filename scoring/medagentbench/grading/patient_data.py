"""Patient data from the server, read as the official graders read it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, NamedTuple

from wardboard.scoring.fhir import FhirQueryFailed, FhirSource
from wardboard.scoring.fhir.source import query_text
from wardboard.scoring.medagentbench.grading.queries import queries_for
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import quote


class Unusable(Exception):
    """No answer to the task can be right. why: a text for the organiser."""

    def __init__(self, why: Phrase) -> None:
        super().__init__(why)
        self.why = why


class Observation(NamedTuple):
    """A lab value, of the JSON type that the server gave, and the time of its measurement."""

    time: datetime  # with or without a zone
    recorded: str  # `time` as the server wrote it
    value: Any


@contextmanager
def official_raises(where: Phrase) -> Iterator[None]:
    """Raise Unusable if the block raises what would stop the official grader."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Unusable(
            phrase("{where}: the official grader raises {error}", where=where, error=quote(error))
        ) from None


class Chart:
    """The answers of a FHIR source, cached: each query is sent and read once, even if it fails."""

    def __init__(self, source: FhirSource) -> None:
        self._source = source
        # Query -> (the value read, None) or (None, the reason why it is unusable).
        self._values: dict[str, tuple[Any, Phrase | None]] = {}

    def observations(self, task: Mapping[str, Any]) -> list[Observation]:
        """Return the results of the lab query of `task`, in the server's order.

        Raises FhirUnavailable, and Unusable even for a malformed entry that is too old to matter, where
        the official grader fails too.
        """
        observations: list[Observation] = self._query(task, _observations)
        return observations

    def birth_date(self, task: Mapping[str, Any]) -> date:
        """Return the birth date of the first matching patient. Raises Unusable and FhirUnavailable."""
        birth_date: date = self._query(task, _birth_date)
        return birth_date

    def _query(self, task: Mapping[str, Any], read: Callable[[Mapping[str, Any], str], Any]) -> Any:
        patient_mrn(task)
        [(resource_type, parameters)] = queries_for(task)
        query = query_text(resource_type, parameters)
        if query not in self._values:
            try:
                self._values[query] = read(self._source.search(resource_type, **parameters), query), None
            except Unusable as error:
                self._values[query] = None, error.why
            except FhirQueryFailed as error:
                why = phrase("FHIR query {query}: {why}", query=error.query, why=error.why)
                self._values[query] = None, why
        value, unusable = self._values[query]
        if unusable is not None:
            raise Unusable(unusable)
        return value


def patient_mrn(task: Mapping[str, Any]) -> str:
    """Return the task's `eval_MRN`. Raises Unusable if it has none."""
    mrn = task.get("eval_MRN")
    if not isinstance(mrn, str) or not mrn:
        raise Unusable(phrase("the task has no `eval_MRN` that is a text: add it to the task file"))
    return mrn


def last(observations: Sequence[Observation]) -> Observation | None:
    """Return the latest observation, the first of several at that time; None if there are none."""
    with official_raises(phrase("comparing the times")):
        return max(observations, key=lambda observation: observation.time, default=None)


def recent(observations: Sequence[Observation], since: datetime) -> list[Observation]:
    """Return the observations at `since` (with a zone) or later."""
    with official_raises(phrase("comparing the times")):
        return [observation for observation in observations if observation.time >= since]


def _observations(bundle: Mapping[str, Any], query: str) -> list[Observation]:
    observations = []
    for number, entry in enumerate(bundle.get("entry", [])):
        with official_raises(phrase("entry {number} of {query}", number=number, query=query)):
            recorded = entry["resource"]["effectiveDateTime"]
            value = entry["resource"]["valueQuantity"]["value"]
            observations.append(
                Observation(time=datetime.fromisoformat(recorded), recorded=recorded, value=value)
            )
    return observations


def _birth_date(bundle: Mapping[str, Any], query: str) -> date:
    with official_raises(phrase("the first entry of {query}", query=query)):
        return datetime.strptime(bundle["entry"][0]["resource"]["birthDate"], "%Y-%m-%d").date()
