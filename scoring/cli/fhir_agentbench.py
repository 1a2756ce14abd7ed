"""The `wardboard` command on files of FHIR-AgentBench."""

import argparse
import hashlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from scoring.benchmark import Reading
from scoring.cli.output import Report, card_as_dict, card_text, print_json, print_report
from scoring.cli.references import FAULT, INVALID, OK, USAGE, Failure
from scoring.fhir_agentbench import FhirReference, QuestionsInvalid, dump_references, read_questions
from scoring.fhir_agentbench.benchmark import FhirAgentBench
from scoring.fhir_agentbench.judge import RulesJudge
from scoring.fhir_agentbench.reading.text_stream import text_pieces
from scoring.reading.collector import Unreadable
from scoring.reading.limits import MIB
from scoring.reading.problems import SubmissionInvalid

_FIELD = re.compile(r'"question_id"\s*:')


def is_submission(file: BinaryIO) -> bool:
    """Return whether `file`, seekable and left at its start, looks like a submission to FHIR-AgentBench."""
    try:
        head = next(text_pieces(file, FhirAgentBench.limits), "").lstrip()
    except Unreadable:
        head = ""
    file.seek(0)
    if head[:1] in ("[", "{"):
        return _FIELD.search(head) is not None
    return "question_id" in re.split(r"[,\"\r]+", head.partition("\n")[0])


def validate(arguments: argparse.Namespace, file: BinaryIO) -> int:
    """Check `file`; against the questions too, where they are given."""
    known = _questions(arguments, USAGE) if arguments.questions else {}
    reading, report = _read(arguments.file, file, tuple(known))
    print_report(report, arguments.format)
    return INVALID if reading is None else OK


def grade(arguments: argparse.Namespace, file: BinaryIO) -> int:
    """Score `file` with the rules as the judge, made to decide on everything."""
    references = _questions(arguments, FAULT)
    benchmark, judge = FhirAgentBench(), RulesJudge(decide_all=True)
    with tempfile.TemporaryFile() as kept:
        reading, report = _read(arguments.file, file, tuple(references), kept)
        if reading is None:
            print_report(report, arguments.format)
            return INVALID
        kept.seek(0)
        card = benchmark.score(benchmark.records(kept), references, judge=judge)
    facts = {
        "file_sha256": _sha256(file),
        "reference_digest": hashlib.sha256(dump_references(references)).hexdigest(),
        "scorer_version": benchmark.scorer_version,
        "judge": judge.identity,
    }
    if arguments.format == "json":
        print_json(card_as_dict(card, reading, facts, unusable=0, by_task=arguments.by_task))
    else:
        print(card_text(benchmark, card, reading, facts, unusable=0, by_task=arguments.by_task))
    return OK


def _questions(arguments: argparse.Namespace, code: int) -> Mapping[str, FhirReference]:
    """Return the references in the file of questions; `code` is the exit code where it is of no use."""
    path: Path = arguments.questions
    try:
        return read_questions(path, allow_missing_ids=arguments.allow_missing_ids)
    except OSError as error:
        raise Failure(code, f"cannot read {path}: {error.strerror}") from None
    except QuestionsInvalid as error:
        raise Failure(code, f"{path} is no file of questions: {error}") from None


def _sha256(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(MIB):
        digest.update(piece)
    return digest.hexdigest()


def _read(
    name: str, file: BinaryIO, task_ids: Sequence[str], keep: BinaryIO | None = None
) -> tuple[Reading | None, Report]:
    """Return what is said of `file`, None where it has problems, and the report on it."""
    benchmark = FhirAgentBench()
    try:
        reading = benchmark.read(file, task_ids=task_ids, version="", limits=benchmark.limits, keep=keep)
    except SubmissionInvalid as invalid:
        return None, Report(name=name, problems=invalid.problems, warnings=invalid.warnings)
    return reading, Report(name=name, warnings=reading.warnings, reading=reading)
