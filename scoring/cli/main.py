"""The `wardboard` command: check and grade a file on a laptop or in a CI job."""

import argparse
import hashlib
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from scoring import registry
from scoring.benchmark import Family, Reading
from scoring.cli.output import CommandReport, card_as_dict, card_text, print_json, print_report
from scoring.cli.runs_output import GradedRuns
from scoring.family_cli import FAULT, INVALID, OK, USAGE, Expectation, Failure, FamilyCli
from scoring.ground_truth import HiddenReference
from scoring.judging import Call, Judge
from scoring.reading.limits import MIB
from scoring.reading.problems import SubmissionInvalid, quote
from scoring.runs import RunReading, pool_runs, read_run, read_runs, read_with_places, score_runs

_CODES = """exit codes:
  0  the file is fine, or scored
  1  the file has problems, which are printed with place and fix
  2  wrong usage, or a file that cannot be opened
  3  problem with the reference answers, or an internal error"""


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
        # The reader of the output has closed it (`| head`). Python would complain on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAULT
    except Exception:
        # The last line of defence: exit code 1 would tell a CI job that the file is at fault.
        traceback.print_exc()
        print("wardboard: this is a fault of the program, not of the file; please report it", file=sys.stderr)
        return FAULT
    return code


def _family_clis() -> dict[str, FamilyCli]:
    return {slug: family.cli() for slug, family in registry.FAMILIES.items()}


def _parser() -> argparse.ArgumentParser:
    clis = _family_clis().values()
    parser = argparse.ArgumentParser(
        prog="wardboard", epilog=_CODES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    validate = commands.add_parser("validate", help="check a file; no reference answers are needed")
    sources = validate.add_mutually_exclusive_group()
    for cli in clis:
        cli.add_validate(sources)
    validate.set_defaults(run=_validate)

    grade = commands.add_parser(
        "grade",
        help="check and score a file, or several runs of one configuration, with reference answers of your "
        "own",
    )
    sources = grade.add_mutually_exclusive_group(required=True)
    sources.add_argument(
        "--references",
        type=Path,
        metavar="DIR",
        help="holds references.json, or tasks.json with fhir.ndjson or fhir.ndjson.gz",
    )
    for cli in clis:
        cli.add_grade(sources)
    grade.add_argument("--by-task", action="store_true", help="print the verdict on every task")
    grade.set_defaults(run=_grade)

    validate.add_argument("file", metavar="FILE", help="what is submitted; - for standard input")
    grade.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="what is submitted; - for standard input; several are runs of one configuration, of which the "
        "mean and the spread are printed",
    )
    for command in (validate, grade):
        command.add_argument(
            "--benchmark",
            choices=tuple(registry.FAMILIES),
            help="default: what the other options or the file show",
        )
        for cli in clis:
            cli.add_shared(command)
        command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    for cli in clis:
        cli.add_commands(commands)
    return parser


def _validate(arguments: argparse.Namespace) -> int:
    with _opened(arguments.file) as file:
        family, cli = _family_of(arguments, file)
        expected = cli.expectation(arguments, file)
        if expected.note:
            print(f"wardboard: {expected.note}", file=sys.stderr)
        reading, report = _read(family, arguments.file, file, expected)
    print_report(report, arguments.format)
    return INVALID if reading is None else OK


def _grade(arguments: argparse.Namespace) -> int:
    """Score the file; if answers have to be judged, with rules made to decide on everything."""
    if len(arguments.files) > 1:
        return _grade_runs(arguments)
    (name,) = arguments.files
    with _opened(name) as file, tempfile.TemporaryFile() as kept:
        family, cli = _family_of(arguments, file)
        references = cli.references(arguments)
        expected = Expectation(task_ids=tuple(references), version=cli.stated_version(file))
        reading, report = _read(family, name, file, expected, kept)
        if reading is None:
            print_report(report, arguments.format)
            return INVALID
        kept.seek(0)
        judge = family.judge("rules", options={}, ledger=_Unpaid()) if family.needs_judge else None
        card = family.score(family.records(kept), references, judge=judge)
        facts = {"file_sha256": _sha256(file), **_facts_of(family, references, judge)}
    unusable = sum(reference.unusable is not None for reference in references.values())
    if arguments.format == "json":
        print_json(card_as_dict(card, reading, facts, unusable=unusable, by_task=arguments.by_task))
    else:
        print(card_text(family, card, reading, facts, unusable=unusable, by_task=arguments.by_task))
    return OK


def _grade_runs(arguments: argparse.Namespace) -> int:
    """Score several files as runs of one configuration."""
    names: list[str] = arguments.files
    if names.count("-") > 1:
        raise Failure(USAGE, "standard input can be one of the runs only")
    with ExitStack() as stack:
        files = [stack.enter_context(_opened(name)) for name in names]
        kept = [stack.enter_context(tempfile.TemporaryFile()) for _ in names]
        family, cli = _family_of(arguments, files[0])
        references = cli.references(arguments)
        known = {"task_ids": tuple(references), "version": cli.stated_version(files[0])}

        def read(index: int) -> RunReading:
            return read_run(family, files[index], kept[index], limits=family.limits, **known)

        try:
            # The end of a long path is what tells files apart.
            reading = read_runs([Path(name).name for name in names], read)
        except SubmissionInvalid as invalid:
            name = f"{len(names)} runs"
            report = CommandReport(name=name, problems=invalid.problems, warnings=invalid.warnings)
            print_report(report, arguments.format)
            return INVALID
        judge = family.judge("rules", options={}, ledger=_Unpaid()) if family.needs_judge else None
        cards = score_runs(family, map(family.records, kept), references, runs=len(names), judge=judge).cards
        digests = [_sha256(file) for file in files]
    graded = GradedRuns(
        family=family,
        cards=cards,
        pooled=pool_runs(family, cards),
        reading=reading,
        files=list(zip(names, digests, strict=True)),
        facts=_facts_of(family, references, judge),
        unusable=sum(reference.unusable is not None for reference in references.values()),
    )
    if arguments.format == "json":
        print_json(graded.as_dict(by_task=arguments.by_task))
    else:
        print(graded.as_text(by_task=arguments.by_task))
    return OK


def _facts_of(
    family: Family, references: Mapping[str, HiddenReference], judge: Judge | None
) -> dict[str, str]:
    return {
        "reference_digest": hashlib.sha256(family.dump_references(references)).hexdigest(),
        "scorer_version": family.scorer_version,
        **({"judge": judge.identity} if judge else {}),
    }


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    """Open the file called `name`, or standard input for -, seekable. Raises Failure."""
    with ExitStack() as stack:
        try:
            source = sys.stdin.buffer if name == "-" else stack.enter_context(open(name, "rb"))
            file = source
            # Standard input may be a file that another process has read from.
            if name == "-" or not source.seekable():
                file = stack.enter_context(tempfile.TemporaryFile())
                _copy(source, file)
        except (OSError, ValueError) as error:
            # ValueError: a name with a NUL character.
            why = getattr(error, "strerror", error)
            raise Failure(USAGE, f"cannot read {quote(name)}: {why}") from None
        yield file


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    # As much as shows that a file is too large for the family that takes the largest.
    left = max(family.limits.body_bytes for family in registry.FAMILIES.values()) + 1
    while left and (piece := source.read(min(left, MIB))):
        left -= target.write(piece)
    target.seek(0)


class _Unpaid:
    """A ledger for judges that ask no provider."""

    scope = b""

    def known(self, keys: Sequence[bytes]) -> Mapping[bytes, bool]:
        return {}

    def may_call(self, estimate: float = 0.0) -> bool:
        return False

    def record(self, calls: Sequence[Call]) -> None:
        raise AssertionError("no provider is called here")


def _family_of(arguments: argparse.Namespace, file: BinaryIO) -> tuple[Family, FamilyCli]:
    """Return the family that `file` is taken for: named, meant by other options, or recognised.

    A file that no family recognises is taken for one of the first. Raises Failure if the options
    contradict each other.
    """
    clis = _family_clis()
    owners: dict[str, str] = {}
    for slug, cli in clis.items():
        for name in cli.options:
            owners.setdefault(name, slug)
    stated = [name for name in owners if getattr(arguments, name, None)]
    chosen: str | None = arguments.benchmark or next((owners[name] for name in stated), None)
    if chosen is None:
        chosen = next((slug for slug, cli in clis.items() if cli.recognises(file)), next(iter(clis)))
    for name in stated:
        if name not in clis[chosen].options:
            raise Failure(USAGE, f"--{name} is for --benchmark {owners[name]}")
    return registry.get(chosen), clis[chosen]


def _read(
    family: Family, name: str, file: BinaryIO, expected: Expectation, keep: BinaryIO | None = None
) -> tuple[Reading | None, CommandReport]:
    """Return the reading of `file`, None if it has problems, and the report on it."""
    try:
        reading = read_with_places(
            family,
            file,
            task_ids=expected.task_ids,
            version=expected.version,
            limits=family.limits,
            keep=keep,
        )
    except SubmissionInvalid as invalid:
        return None, CommandReport(name=name, problems=invalid.problems, warnings=invalid.warnings)
    return reading, CommandReport(name=name, warnings=reading.warnings, reading=reading)


def _sha256(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(MIB):
        digest.update(piece)
    return digest.hexdigest()
