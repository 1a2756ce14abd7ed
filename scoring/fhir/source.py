"""What grading asks of a FHIR server, and how that can fail."""

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

# How the answer is written down, not what is asked: the official evaluator sends it, recordings lack it.
FORMAT = "_format"


class FhirError(Exception):
    """A FHIR source could not give what was asked of it."""


class _QueryError(FhirError):
    def __init__(self, query: str, why: str) -> None:
        super().__init__(query, why)
        self.query = query
        self.why = why

    def __str__(self) -> str:
        return f"FHIR query {self.query}: {self.why}"


class FhirQueryFailed(_QueryError):
    """The source answered, and the answer is no use: HTTP 3xx or 4xx, no JSON, no Bundle, not recorded.

    query: as `query_text` writes it. why: the reason, for the organiser. Asking again gives the same.
    """


class FhirUnavailable(_QueryError):
    """The source gave no answer: down, too slow, or busy (HTTP 429, 5xx), after every retry.

    query and why as in FhirQueryFailed. Says nothing about the data: asking later may succeed.
    """


class RecordingInvalid(FhirError):
    """A file is no recording. problems: what is wrong, one text a line at fault, with its number."""

    def __init__(self, name: str, problems: list[str]) -> None:
        super().__init__(name, problems)
        self.problems = problems

    def __str__(self) -> str:
        name, problems = self.args
        listed = "; ".join(problems[:5])
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        return f"{name} is no FHIR recording: {listed}{more}. Record it again with `manage.py record_fhir`."


class FhirSource(Protocol):
    """Where reference values come from: a live server or a recorded file."""

    def search(self, resource_type: str, /, **parameters: str) -> dict[str, Any]:
        """Return the Bundle of a search, such as `search("Patient", identifier="S1")`.

        All pages are merged into one `entry` list, in the server's order; the key is absent when
        the server gave none. Raises FhirQueryFailed or FhirUnavailable.
        """


def query_text(resource_type: str, parameters: Mapping[str, str]) -> str:
    """Return the query below the base address, parameters by name: `Patient?identifier=S1`."""
    return f"{resource_type}?{urlencode(sorted(parameters.items()))}"


def query_key(url: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """Return what tells queries apart: the last step of the path, and the parameters as a set.

    The base address, the order of parameters and `_format` do not count.
    """
    parts = urlsplit(url)
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    return parts.path.rstrip("/").rpartition("/")[2], frozenset(p for p in parameters if p[0] != FORMAT)
