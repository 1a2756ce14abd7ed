"""The part of the `wardboard` command for FHIR-AgentBench: options and known files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import click

from wardboard.scoring.benchmark_cli import FAULT, PATH, USAGE, BenchmarkCli, Expectation, Failure
from wardboard.scoring.fhir_agentbench.grading.questions_file import QuestionsInvalid, read_questions
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.reading.archives import is_eval_log, names_of_zip
from wardboard.scoring.reading.streams.text_stream import head_of

_FIELD = re.compile(r'"question_id"\s*:')
# The ids of the questions: in the header of a log of inspect_ai, in attempts of any log, and in the names of
# the samples of an `.eval` file.
_IDS_OF_LOG = re.compile(r'"sample_ids"\s*:\s*\[\s*"[0-9a-f]{24}"|"task_id"\s*:\s*"[0-9a-f]{24}"')
_SAMPLE_OF_LOG = re.compile(r"samples/[0-9a-f]{24}_epoch_")


def _questions(text: str) -> click.Option:
    return click.Option(["--questions"], type=PATH, metavar="CSV", help=text)


class FhirAgentBenchCli(BenchmarkCli):
    options = ("questions",)
    validate_options = (_questions("check against these questions as well"),)
    grade_options = (_questions("questions with true answers and ids"),)
    shared_options = (
        click.Option(
            ["--allow-missing-ids"],
            is_flag=True,
            help="take questions without true_fhir_ids, for which only answers are scored",
        ),
    )

    def recognises(self, file: BinaryIO) -> bool:
        if is_eval_log(file):
            return any(map(_SAMPLE_OF_LOG.match, names_of_zip(file)))
        head = head_of(file)
        if head[:1] in ("[", "{"):
            return bool(_FIELD.search(head) or _IDS_OF_LOG.search(head))
        return "question_id" in re.split(r"[,\"\r]+", head.partition("\n")[0])

    def expectation(self, arguments: Mapping[str, Any], file: BinaryIO) -> Expectation:
        return Expectation(task_ids=tuple(_read(arguments, USAGE)) if arguments["questions"] else ())

    def references(self, arguments: Mapping[str, Any]) -> Mapping[str, FhirReference]:
        return _read(arguments, FAULT)


def _read(arguments: Mapping[str, Any], code: int) -> Mapping[str, FhirReference]:
    """Return the references in the file of questions. code: the exit code if it is unusable."""
    path: Path = arguments["questions"]
    try:
        return read_questions(path, allow_missing_ids=arguments["allow_missing_ids"])
    except OSError as error:
        raise Failure(code, f"cannot read {path}: {error.strerror}") from None
    except QuestionsInvalid as error:
        raise Failure(code, f"{path} is not a file of questions: {error}") from None
