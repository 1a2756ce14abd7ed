"""The interface of FHIR sources, and their errors."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from wardboard.scoring.reading.messages import Phrase

# This sets the format of the answer, not its content: the official evaluator sends it, recordings lack it.
FORMAT = "_format"


class FhirError(Exception):
    """A FHIR source cannot answer a search."""


class _QueryError(FhirError):
    def __init__(self, query: str, why: str) -> None:
        super().__init__(query, why)
        self.query = query
        self.why = why

    def __str__(self) -> str:
        return f"FHIR query {self.query}: {self.why}"


class FhirQueryFailed(_QueryError):
    """The response is unusable: HTTP 3xx or 4xx, not JSON, not a Bundle, or not recorded.

    Asking again would not help. query: as `query_text` writes it. why: the reason, for the organiser.
    """


class FhirUnavailable(_QueryError):
    """The source is down, too slow or busy (HTTP 429, 5xx), even after every retry.

    It reveals nothing about the data, and asking later may succeed. query, why: as in FhirQueryFailed.
    """


class Fault(NamedTuple):
    """A fault of a recording. line: from 1; None for the whole file."""

    line: int | None
    message: Phrase


class RecordingInvalid(FhirError):
    """The file is not a recording. faults: all of them."""

    def __init__(self, name: str, faults: Sequence[Fault]) -> None:
        super().__init__(name, faults)
        self.faults = tuple(faults)

    def __str__(self) -> str:
        name, faults = self.args
        listed = "; ".join(f"line {line}: {message}" if line else message for line, message in faults[:5])
        return f"{name} is not a FHIR recording: {listed}. Record it again with `manage.py record_fhir`."


class FhirSource(Protocol):
    """A source of reference values: a live server or a recorded file."""

    def search(self, resource_type: str, /, **parameters: str) -> dict[str, Any]:
        """Return the Bundle of a search, such as `search("Patient", identifier="S1")`.

        All pages are merged into one `entry` list, in the server's order; the key is absent if the
        server sent no entries. Raises FhirQueryFailed or FhirUnavailable.
        """


def query_text(resource_type: str, parameters: Mapping[str, str]) -> str:
    """Return the query relative to the base address, parameters sorted: `Patient?identifier=S1`."""
    return f"{resource_type}?{urlencode(sorted(parameters.items()))}"


def query_key(url: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """Return the identity of a query: the last step of its path, and its parameters as a set.

    The base address, the order of parameters and `_format` do not count.
    """
    parts = urlsplit(url)
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    return parts.path.rstrip("/").rpartition("/")[2], frozenset(p for p in parameters if p[0] != FORMAT)
