"""Sources of FHIR search results: a live server or a recorded file."""

from typing import TYPE_CHECKING, Any

from wardboard.scoring.fhir.recording import RecordedFhir, record, write_recording
from wardboard.scoring.fhir.source import (
    FhirError,
    FhirQueryFailed,
    FhirSource,
    FhirUnavailable,
    RecordingInvalid,
)

if TYPE_CHECKING:
    from wardboard.scoring.fhir.server import FhirServer

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
    # Import it on first use, since it takes as long to import as everything else that grading needs.
    if name == "FhirServer":
        from wardboard.scoring.fhir.server import FhirServer  # noqa: PLC0415

        return FhirServer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
