"""Sources of FHIR search results: a live server, a recorded file."""

from typing import TYPE_CHECKING, Any

from scoring.fhir.recording import RecordedFhir, record, write_recording
from scoring.fhir.source import FhirError, FhirQueryFailed, FhirSource, FhirUnavailable, RecordingInvalid

if TYPE_CHECKING:
    from scoring.fhir.server import FhirServer

__all__ = [
    "FhirError",
    "FhirQueryFailed",
    "FhirServer",
    "FhirSource",
    "FhirUnavailable",
    "RecordedFhir",
    "RecordingInvalid",
    "record",
    "write_recording",
]


def __getattr__(name: str) -> Any:
    # On first use: `requests` takes as long to import as all else that grading a file needs.
    if name == "FhirServer":
        from scoring.fhir.server import FhirServer  # noqa: PLC0415

        return FhirServer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
