"""Exit codes of the `wardboard` command, and the references and tasks that it is pointed to.

Every function here raises Failure, and nothing else, for what a person can put right.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.fhir import FhirError, FhirSource, RecordedFhir
from scoring.medagentbench import Reference, TasksInvalid, build_references, load_references

OK, INVALID, USAGE, FAULT = 0, 1, 2, 3


class Failure(Exception):
    """The command cannot go on: `code` is the exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def load(folder: Path) -> Mapping[str, Reference]:
    """Return the references in `folder`, built from its recording where they are not there yet."""
    dump = folder / "references.json"
    if dump.is_file():
        try:
            return load_references(dump.read_bytes())
        except (OSError, ValueError) as error:
            raise Failure(FAULT, f"{dump}: {error}") from None
    recordings = [folder / "fhir.ndjson", folder / "fhir.ndjson.gz"]
    recording = next((path for path in recordings if path.is_file()), None)
    if recording is None or not (folder / "tasks.json").is_file():
        raise Failure(FAULT, f"{folder} holds neither references.json nor tasks.json with fhir.ndjson[.gz]")
    return build(tasks_of(folder / "tasks.json", FAULT), _recorded(recording, FAULT))


def build(tasks: Any, source: FhirSource) -> Mapping[str, Reference]:
    """Return the reference of each of `tasks`, usable or not."""
    try:
        return build_references(tasks, source)
    except (TasksInvalid, FhirError) as error:
        raise Failure(FAULT, str(error)) from None


def source_of(server: str | None, recording: Path | None) -> FhirSource:
    """Return the recording, or, where there is none, the live server at the address `server`."""
    if recording:
        return _recorded(recording, USAGE)
    # Here: `requests` is slow to import, and seldom needed.
    from scoring.fhir import FhirServer  # noqa: PLC0415

    try:
        return FhirServer(server or "")
    except ValueError as error:
        raise Failure(USAGE, str(error)) from None


def _recorded(path: Path, code: int) -> FhirSource:
    try:
        return RecordedFhir(path)
    except OSError as error:
        raise Failure(code, f"cannot read {path}: {error.strerror or error}") from None
    except FhirError as error:
        raise Failure(FAULT, str(error)) from None


def tasks_of(path: Path, code: int) -> Any:
    """Return the JSON of a task file; `code` is the exit code where it cannot be read."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise Failure(code, f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise Failure(code, f"{path} is no task file: it is not JSON") from None


def task_ids_of(tasks: Any, path: Path) -> tuple[str, ...]:
    """Return the ids of `tasks`, in order; `path` is the file that a failure names."""
    try:
        ids = tuple(task["id"] for task in tasks)
    except (TypeError, LookupError):
        ids = ()
    if not ids or not all(isinstance(task_id, str) for task_id in ids):
        raise Failure(USAGE, f"{path} is no task file: it must be a list of objects with an `id`")
    return ids
