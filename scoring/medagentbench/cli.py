"""MedAgentBench on the `wardboard` command: its options, and building references."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import click

from wardboard.scoring.benchmark_cli import FAULT, OK, PATH, USAGE, BenchmarkCli, Expectation, Failure
from wardboard.scoring.ground_truth import GroundTruthInvalid
from wardboard.scoring.medagentbench import boards
from wardboard.scoring.medagentbench.demo import TASKS, VERSION
from wardboard.scoring.medagentbench.grading.references import Reference, dump_references
from wardboard.scoring.medagentbench.reading.submission import file_version
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED, published_task_ids, texts_of_tasks
from wardboard.scoring.reading.archives import is_eval_log, names_of_zip
from wardboard.scoring.reading.codes import ReferenceCode
from wardboard.scoring.reading.formats.table import format_of_file
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import counted
from wardboard.scoring.reading.streams.text_stream import head_of

_DEFAULT_VERSION = "v2"
_KNOWN_VERSIONS = frozenset({*PUBLISHED, VERSION})
_LIMITS = Limits()
_SIGN = re.compile(r"(?<![a-z0-9-])task\d{1,2}_\d+(?!\d)|\bFINISH\(|post_history|medagentbench", re.I)


def _stated_version(file: BinaryIO) -> str | None:
    if format_of_file(file):
        return None
    raw = file.read(_LIMITS.document_bytes + 1)
    file.seek(0)
    return file_version(raw, _LIMITS)


@click.command(help="Build references.json, for owners of the reference answers.")
@click.option("--tasks", type=PATH, required=True, metavar="FILE", help="the task file")
@click.option("--fhir-server", metavar="URL", help="base address of a FHIR R4 server")
@click.option("--fhir-recording", type=PATH, metavar="FILE", help="recorded responses of one")
@click.option("--allow-unusable", is_flag=True, help="keep tasks that no answer can pass")
@click.argument("folder", type=PATH, metavar="DIR")
def references(
    tasks: Path, fhir_server: str | None, fhir_recording: Path | None, allow_unusable: bool, folder: Path
) -> int:
    """Write references.json, and the task file beside it, into `folder`."""
    if bool(fhir_server) == bool(fhir_recording):
        raise Failure(USAGE, "give either --fhir-server or --fhir-recording")
    if fhir_server and not fhir_server.startswith(("http://", "https://")):
        raise Failure(USAGE, "--fhir-server must look like http://localhost:8080/fhir/")
    built = _built({"tasks": tasks, "fhir_server": fhir_server, "fhir_recording": fhir_recording}, USAGE)
    unusable = [
        f"{task_id}: {reference.unusable}" for task_id, reference in built.items() if reference.unusable
    ]
    for line in unusable:
        click.echo(f"unusable: {line}", err=True)
    if unusable and not allow_unusable:
        raise Failure(
            FAULT,
            f"{counted(len(unusable), 'reference')} unusable; nothing is written (see --allow-unusable)",
        )
    data = dump_references(built)
    target = folder / "references.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        # Its texts name the tasks of logs without ids.
        (folder / "tasks.json").write_bytes(tasks.read_bytes())
    except OSError as error:
        raise Failure(USAGE, f"cannot write {target}: {error.strerror}") from None
    digest = hashlib.sha256(data).hexdigest()
    click.echo(f"{counted(len(built), 'reference')} in {target}, digest {digest}")
    return OK


class MedAgentBenchCli(BenchmarkCli):
    options = ("version", "tasks", "references")
    commands = (references,)
    boards = boards.PUBLISHED_VERSIONS
    validate_options = (
        click.Option(
            ["--version"],
            type=click.Choice(sorted(PUBLISHED)),
            help="the version (default: what the file says)",
        ),
        click.Option(["--tasks"], type=PATH, metavar="TASKFILE", help="check against this task file instead"),
    )

    def recognises(self, file: BinaryIO) -> bool:
        text = "\n".join(names_of_zip(file)) if is_eval_log(file) else head_of(file)
        return _SIGN.search(text) is not None

    def stated_version(self, file: BinaryIO) -> str:
        return _stated_version(file) or ""

    def expectation(self, arguments: Mapping[str, Any], file: BinaryIO) -> Expectation:
        stated = _stated_version(file)
        if arguments["tasks"]:
            return _expectation_of(_tasks_of(arguments["tasks"], USAGE), arguments["tasks"], stated or "")
        version = arguments["version"] or (stated if stated in _KNOWN_VERSIONS else _DEFAULT_VERSION)
        note = ""
        if not arguments["version"] and stated is None:
            note = f"the file names no version; taken for {version} (see --version)"
        if version not in PUBLISHED:
            # The version is that of the demonstration, or of its leaderboard.
            return _expectation_of(_tasks_of(TASKS, FAULT), TASKS, version)
        return Expectation(task_ids=published_task_ids(version), version=version, note=note)

    def texts(self, arguments: Mapping[str, Any]) -> Mapping[str, str]:
        path = arguments["references"] / "tasks.json"
        return texts_of_tasks(_tasks_of(path, FAULT)) if path.is_file() else {}

    def references(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        folder: Path = arguments["references"]
        if (folder / "references.json").is_file():
            return super().references(arguments)
        recordings = [folder / "fhir.ndjson", folder / "fhir.ndjson.gz"]
        recording = next((path for path in recordings if path.is_file()), None)
        if recording is None or not (folder / "tasks.json").is_file():
            raise Failure(
                FAULT, f"{folder} holds neither references.json nor tasks.json with fhir.ndjson[.gz]"
            )
        return _built({"tasks": folder / "tasks.json", "fhir_recording": recording}, FAULT)


def _built(options: Mapping[str, Any], code: int) -> Mapping[str, Reference]:
    """Return the reference of each task, usable or not; `code` is the exit code if a file cannot be read."""
    try:
        tasks, source, _ = boards.read_sources({"all_pages": True, **options})
        return boards.build(tasks, source)
    except GroundTruthInvalid as error:
        is_unreadable = any(problem.code == ReferenceCode.UNREADABLE for problem in error.problems)
        raise Failure(code if is_unreadable else FAULT, str(error)) from None


def _tasks_of(path: Path, code: int) -> Any:
    """Return the JSON of a task file; `code` is the exit code if it cannot be read."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise Failure(code, f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise Failure(code, f"{path} is not a task file: it is not JSON") from None


def _expectation_of(tasks: Any, path: Path, version: str) -> Expectation:
    """Return what a file is checked against by `tasks`; `path` is the file that a failure names."""
    try:
        ids = tuple(task["id"] for task in tasks)
    except (TypeError, LookupError):
        ids = ()
    if not ids or not all(isinstance(task_id, str) for task_id in ids):
        raise Failure(USAGE, f"{path} is not a task file: it must be a list of objects with an `id`")
    return Expectation(task_ids=ids, version=version, texts=texts_of_tasks(tasks))
