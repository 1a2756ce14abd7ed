"""Every problem code: a file that has it, its position, and its entry in the documentation."""

import re

import pytest

from tests.support.paths import ROOT
from tests.support.scoring.log_samples import LOGS
from tests.support.scoring.medagentbench_samples import GOOD, read
from tests.support.scoring.medagentbench_samples import SAMPLES as FILES
from tests.support.scoring.transcript_samples import SAMPLES as TRANSCRIPTS
from wardboard.scoring.fhir_agentbench.grading.question_codes import QuestionCode
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.medagentbench.grading.task_codes import TaskCode
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.reading.codes import (
    DocumentCode,
    RecordCode,
    ReferenceCode,
    RulesCode,
    RunsCode,
)
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.inspect_logs.codes import LogCode

DOCUMENTATION = ROOT / "docs" / "problems.md"
SAMPLES = [*FILES, *LOGS, *TRANSCRIPTS]
CODES = [*DocumentCode, *Code, *FormatCode]
WARNINGS = {
    DocumentCode.NAN,
    DocumentCode.DUPLICATE_KEY,
    *list(Code)[list(Code).index(Code.TOTAL_TASKS) :],
    *list(FormatCode)[list(FormatCode).index(FormatCode.ANSWER_FORM) :],
}

# They need many problems or a slow file: tests/scoring/reading/test_stopping.py has files for both.
STOPS = {DocumentCode.TOO_MANY_PROBLEMS, DocumentCode.TOO_SLOW}
# The codes of the other benchmark are tested in its own folder.
ALL_CODES = [
    *CODES,
    *RunsCode,
    *RulesCode,
    *RecordCode,
    *LogCode,
    *FhirCode,
    *ReferenceCode,
    *TaskCode,
    *QuestionCode,
]
FORMAT_WARNINGS = list(FormatCode)[list(FormatCode).index(FormatCode.ANSWER_FORM) :]
FHIR_WARNINGS = list(FhirCode)[list(FhirCode).index(FhirCode.QUESTIONS_MISSING) :]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.code.value)
def test_each_sample_earns_its_code_at_its_position(sample):
    problems, warnings = read(sample.raw)
    remarks = warnings if sample.code in WARNINGS else problems
    matches = [remark for remark in remarks.listed if remark.code == sample.code]
    assert matches, [remark.code for remark in problems.listed + warnings.listed]
    assert (matches[0].pointer, matches[0].line) == (sample.pointer, sample.line)
    assert sample.text in matches[0].message
    assert matches[0].hint


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.code not in WARNINGS], ids=lambda s: s.code.value)
def test_one_mistake_is_one_problem(sample):
    assert read(sample.raw)[0].total == 1


def test_a_good_file_earns_no_remark_but_for_its_missing_tasks():
    problems, warnings = read(GOOD)
    assert problems.total == 0
    assert [warning.code for warning in warnings.listed] == [Code.TASKS_MISSING]


def test_there_is_a_sample_for_every_code():
    assert {sample.code for sample in SAMPLES} == set(CODES) - STOPS


def test_codes_are_dotted_and_differ():
    assert len({code.value for code in ALL_CODES}) == len(ALL_CODES)
    assert all(re.fullmatch(r"[a-z0-9-]+\.[a-z0-9-]+", code.value) for code in ALL_CODES)


def test_the_documentation_lists_every_code_with_its_meaning_and_fix():
    rows = [line.split(" | ") for line in DOCUMENTATION.read_text().splitlines() if line.startswith("| `")]
    documented = {cells[0].strip("| `"): (cells[1], cells[-1].removesuffix(" |")) for cells in rows}
    assert documented == {code.value: (code.meaning, code.fix.replace("|", r"\|")) for code in ALL_CODES}
    assert all(len(cells) == 4 and cells[2] for cells in rows)


def test_the_documentation_separates_problems_from_warnings():
    _, _, warnings = DOCUMENTATION.read_text().partition("\n## Warnings")
    assert set(re.findall(r"^\| `([^`]+)`", warnings, re.MULTILINE)) == {
        code.value
        for code in [
            *WARNINGS,
            RunsCode.FOLDERS,
            RunsCode.IDENTICAL,
            *RulesCode,
            RunsCode.LEFT_OUT,
            *FORMAT_WARNINGS,
            *FHIR_WARNINGS,
        ]
    }
