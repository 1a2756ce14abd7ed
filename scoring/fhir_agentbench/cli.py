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

_FIELD = re.compile(r'"question_id"\s*:|\A[^{\[\n]*\bquestion_id\b')
# The ids of questions, and of tasks of MedAgentBench; and of questions in the names in an `.eval` file.
_ID = re.compile(r"(?<![\w-])[0-9a-f]{24}(?![\w-])|agent_fhir_resources")
_OTHER_ID = re.compile(r"(?<![\w-])task\d{1,2}_\d+\b")
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
        # Writers use the name of the field for other ids, and such ids for other things.
        is_ours = _FIELD.search(head) or not _OTHER_ID.search(head)
        return bool(_ID.search(head) and is_ours)

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
