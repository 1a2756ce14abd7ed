"""The `wardboard` command: check and grade a file on a laptop or in a CI job."""

import argparse
import hashlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from scoring.cli import fhir_agentbench, output
from scoring.cli.files import opened
from scoring.cli.references import (
    FAULT,
    INVALID,
    OK,
    USAGE,
    Failure,
    build,
    load,
    source_of,
    task_ids_of,
    tasks_of,
)
from scoring.fhir_agentbench.benchmark import FhirAgentBench
from scoring.medagentbench import dump_references
from scoring.medagentbench.benchmark import MedAgentBench
from scoring.medagentbench.reading.submission import Submission, file_version, read_submission
from scoring.medagentbench.reading.tasks import PUBLISHED, published_task_ids
from scoring.reading.limits import Limits
from scoring.reading.problems import SubmissionInvalid, counted

_CODES = """exit codes:
  0  the file is fine, or scored
  1  the file has problems, which are printed with place and fix
  2  wrong usage, or a file that cannot be opened
  3  trouble with the references, or a fault of this program"""
_DEFAULT_VERSION = "v2"
_LIMITS = Limits()
_MOST = _LIMITS.body_bytes + 1  # as much as shows that a file of MedAgentBench is too large


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (that of the process by default) and return the exit code."""
    # A terminal or a log that is not UTF-8 shows escapes; it must not end the command.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except Failure as failure:
        print(f"wardboard: {failure}", file=sys.stderr)
        return failure.code
    except BrokenPipeError:
        # Whoever read the output has closed it (`| head`). Python would complain on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAULT
    except Exception:
        # The last line of defence: exit code 1 would tell a CI job that the file is at fault.
        traceback.print_exc()
        print("wardboard: this is a fault of the program, not of the file; please report it", file=sys.stderr)
        return FAULT
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="wardboard", epilog=_CODES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    validate = commands.add_parser("validate", help="check a file; no references are needed")
    tasks = validate.add_mutually_exclusive_group()
    tasks.add_argument(
        "--version", choices=sorted(PUBLISHED), help="the version (default: what the file says)"
    )
    tasks.add_argument("--tasks", type=Path, metavar="TASKFILE", help="check against this task file instead")
    tasks.add_argument("--questions", type=Path, metavar="CSV", help="check against these questions as well")
    validate.set_defaults(run=_validate, references=None)

    grade = commands.add_parser("grade", help="check and score a file with references of your own")
    truth = grade.add_mutually_exclusive_group(required=True)
    truth.add_argument(
        "--references",
        type=Path,
        metavar="DIR",
        help="holds references.json, or tasks.json with fhir.ndjson or fhir.ndjson.gz",
    )
    truth.add_argument("--questions", type=Path, metavar="CSV", help="questions with true answers and ids")
    grade.add_argument("--by-task", action="store_true", help="print the verdict on every task")
    grade.set_defaults(run=_grade, version=None, tasks=None)
    for command in (validate, grade):
        command.add_argument("file", metavar="FILE", help="what is submitted; - for standard input")
        command.add_argument(
            "--benchmark",
            choices=(MedAgentBench.slug, FhirAgentBench.slug),
            help="default: what the other options or the file show",
        )
        command.add_argument(
            "--allow-missing-ids",
            action="store_true",
            help="take questions without true_fhir_ids, for which only answers are scored",
        )
        command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")

    references = commands.add_parser(
        "references", help="build references.json, for owners of the ground truth"
    )
    references.add_argument("--tasks", type=Path, required=True, metavar="FILE", help="the task file")
    source = references.add_mutually_exclusive_group(required=True)
    source.add_argument("--fhir-server", metavar="URL", help="base address of a FHIR R4 server")
    source.add_argument("--fhir-recording", type=Path, metavar="FILE", help="recorded responses of one")
    references.add_argument(
        "--allow-unusable", action="store_true", help="keep tasks that no answer can pass"
    )
    references.add_argument("folder", type=Path, metavar="DIR", help="where references.json is written")
    references.set_defaults(run=_references)
    return parser


def _validate(arguments: argparse.Namespace) -> int:
    with opened(arguments.file) as file:
        if _is_fhir_agentbench(arguments, file):
            return fhir_agentbench.validate(arguments, file)
        raw = file.read(_MOST)
    says = file_version(raw, _LIMITS)
    if arguments.tasks:
        version, task_ids = says or "", task_ids_of(tasks_of(arguments.tasks, USAGE), arguments.tasks)
    else:
        version = arguments.version or (says if says in PUBLISHED else _DEFAULT_VERSION)
        task_ids = published_task_ids(version)
        if not arguments.version and says is None:
            print(
                f"wardboard: the file names no version; taken for {version} (see --version)", file=sys.stderr
            )
    reading = _reading(arguments, raw, task_ids, version)
    return INVALID if reading is None else OK


def _grade(arguments: argparse.Namespace) -> int:
    with opened(arguments.file) as file:
        if _is_fhir_agentbench(arguments, file):
            return fhir_agentbench.grade(arguments, file)
        raw = file.read(_MOST)
    references = load(arguments.references)
    version = file_version(raw, _LIMITS) or ""
    reading = _reading(arguments, raw, tuple(references), version, quietly=True)
    if reading is None:
        return INVALID
    benchmark = MedAgentBench()
    card = benchmark.score(reading.records, references)
    facts = {
        "file_sha256": hashlib.sha256(raw).hexdigest(),
        "reference_digest": hashlib.sha256(dump_references(references)).hexdigest(),
        "scorer_version": benchmark.scorer_version,
    }
    unusable = sum(reference.unusable is not None for reference in references.values())
    if arguments.format == "json":
        output.print_json(
            output.card_as_dict(card, reading, facts, unusable=unusable, by_task=arguments.by_task)
        )
    else:
        print(output.card_text(benchmark, card, reading, facts, unusable=unusable, by_task=arguments.by_task))
    return OK


def _is_fhir_agentbench(arguments: argparse.Namespace, file: BinaryIO) -> bool:
    """Return whether `file` is to be taken for one of FHIR-AgentBench. Raises Failure where the options
    contradict each other."""
    theirs = arguments.questions is not None
    others = [name for name in ("version", "tasks", "references") if getattr(arguments, name)]
    chosen = arguments.benchmark or (
        FhirAgentBench.slug if theirs else MedAgentBench.slug if others else None
    )
    if chosen == MedAgentBench.slug and theirs:
        raise Failure(USAGE, f"--questions is for --benchmark {FhirAgentBench.slug}")
    if chosen == FhirAgentBench.slug and others:
        raise Failure(USAGE, f"--{others[0]} is for --benchmark {MedAgentBench.slug}")
    return chosen == FhirAgentBench.slug if chosen else fhir_agentbench.is_submission(file)


def _references(arguments: argparse.Namespace) -> int:
    tasks = tasks_of(arguments.tasks, USAGE)
    references = build(tasks, source_of(arguments.fhir_server, arguments.fhir_recording))
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


def _reading(
    arguments: argparse.Namespace, raw: bytes, task_ids: Sequence[str], version: str, *, quietly: bool = False
) -> Submission | None:
    """Return what the file holds, None where it has problems. Prints the remarks; those on a file
    without problems not if `quietly`."""
    try:
        reading = read_submission(raw, task_ids=task_ids, version=version, limits=_LIMITS)
    except SubmissionInvalid as invalid:
        report = output.Report(name=arguments.file, problems=invalid.problems, warnings=invalid.warnings)
        result = None
    else:
        report = output.Report(name=arguments.file, warnings=reading.warnings, reading=reading)
        result = reading
    if result is None or not quietly:
        output.print_report(report, arguments.format)
    return result
