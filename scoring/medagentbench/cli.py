"""MedAgentBench on the `wardboard` command: its options, and building references."""

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from scoring.family_cli import FAULT, OK, USAGE, Expectation, Failure, FamilyCli
from scoring.fhir import FhirError, FhirSource, RecordedFhir
from scoring.medagentbench.grading.build_references import TasksInvalid, build_references
from scoring.medagentbench.grading.references import Reference, dump_references
from scoring.medagentbench.reading.tasks import PUBLISHED, published_task_ids
from scoring.reading.limits import Limits
from scoring.reading.problems import counted

_DEFAULT_VERSION = "v2"
_LIMITS = Limits()


class MedAgentBenchCli(FamilyCli):
    options = ("version", "tasks", "references")

    def add_commands(self, commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        references = commands.add_parser(
            "references", help="build references.json, for owners of the reference answers"
        )
        references.add_argument("--tasks", type=Path, required=True, metavar="FILE", help="the task file")
        source = references.add_mutually_exclusive_group(required=True)
        source.add_argument("--fhir-server", metavar="URL", help="base address of a FHIR R4 server")
        source.add_argument("--fhir-recording", type=Path, metavar="FILE", help="recorded responses of one")
        references.add_argument(
            "--allow-unusable", action="store_true", help="keep tasks that no answer can pass"
        )
        references.add_argument("folder", type=Path, metavar="DIR", help="where references.json is written")
        references.set_defaults(run=_write_references)

    def add_validate(self, sources: "argparse._MutuallyExclusiveGroup") -> None:
        sources.add_argument(
            "--version", choices=sorted(PUBLISHED), help="the version (default: what the file says)"
        )
        sources.add_argument(
            "--tasks", type=Path, metavar="TASKFILE", help="check against this task file instead"
        )

    def stated_version(self, file: BinaryIO) -> str:
        return _stated_version(file) or ""

    def expectation(self, arguments: argparse.Namespace, file: BinaryIO) -> Expectation:
        stated = _stated_version(file)
        if arguments.tasks:
            task_ids = _task_ids_of(_tasks_of(arguments.tasks, USAGE), arguments.tasks)
            return Expectation(task_ids=task_ids, version=stated or "")
        version = arguments.version or (stated if stated in PUBLISHED else _DEFAULT_VERSION)
        note = ""
        if not arguments.version and stated is None:
            note = f"the file names no version; taken for {version} (see --version)"
        return Expectation(task_ids=published_task_ids(version), version=version, note=note)

    def references(self, arguments: argparse.Namespace) -> Mapping[str, Any]:
        folder: Path = arguments.references
        if (folder / "references.json").is_file():
            return super().references(arguments)
        recordings = [folder / "fhir.ndjson", folder / "fhir.ndjson.gz"]
        recording = next((path for path in recordings if path.is_file()), None)
        if recording is None or not (folder / "tasks.json").is_file():
            raise Failure(
                FAULT, f"{folder} holds neither references.json nor tasks.json with fhir.ndjson[.gz]"
            )
        return _build(_tasks_of(folder / "tasks.json", FAULT), _recorded(recording, FAULT))


def _stated_version(file: BinaryIO) -> str | None:
    # Here: it imports the JSON Schema validator, which grading with references alone need not wait for.
    from scoring.medagentbench.reading.submission import file_version  # noqa: PLC0415

    raw = file.read(_LIMITS.body_bytes + 1)
    file.seek(0)
    return file_version(raw, _LIMITS)


def _write_references(arguments: argparse.Namespace) -> int:
    tasks = _tasks_of(arguments.tasks, USAGE)
    references = _build(tasks, _source_of(arguments.fhir_server, arguments.fhir_recording))
    unusable = [f"{task_id}: {r.unusable}" for task_id, r in references.items() if r.unusable]
    for line in unusable:
        print(f"unusable: {line}", file=sys.stderr)
    if unusable and not arguments.allow_unusable:
        raise Failure(
            FAULT,
            f"{counted(len(unusable), 'reference')} unusable; nothing is written (see --allow-unusable)",
        )
    data = dump_references(references)
    target = arguments.folder / "references.json"
    try:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    except OSError as error:
        raise Failure(USAGE, f"cannot write {target}: {error.strerror}") from None
    print(f"{counted(len(references), 'reference')} in {target}, digest {hashlib.sha256(data).hexdigest()}")
    return OK


def _build(tasks: Any, source: FhirSource) -> Mapping[str, Reference]:
    """Return the reference of each of `tasks`, usable or not."""
    try:
        return build_references(tasks, source)
    except (TasksInvalid, FhirError) as error:
        raise Failure(FAULT, str(error)) from None


def _source_of(server: str | None, recording: Path | None) -> FhirSource:
    """Return the recording or, without one, the live server at the address `server`."""
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


def _tasks_of(path: Path, code: int) -> Any:
    """Return the JSON of a task file; `code` is the exit code if it cannot be read."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise Failure(code, f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise Failure(code, f"{path} is not a task file: it is not JSON") from None


def _task_ids_of(tasks: Any, path: Path) -> tuple[str, ...]:
    """Return the ids of `tasks`, in order; `path` is the file that a failure names."""
    try:
        ids = tuple(task["id"] for task in tasks)
    except (TypeError, LookupError):
        ids = ()
    if not ids or not all(isinstance(task_id, str) for task_id in ids):
        raise Failure(USAGE, f"{path} is not a task file: it must be a list of objects with an `id`")
    return ids
