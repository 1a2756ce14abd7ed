"""Every problem code: a file that has it, its position, and the pages that list them."""

import re

from tests.support.scoring.log_samples import LOGS
from tests.support.scoring.medagentbench_samples import SAMPLES as FILES
from tests.support.scoring.medagentbench_samples import read
from tests.support.scoring.transcript_samples import SAMPLES as TRANSCRIPTS
from tools import problems
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.formats.codes import FormatCode

SAMPLES = [*FILES, *LOGS, *TRANSCRIPTS]
CODES = [*DocumentCode, *Code, *FormatCode]
WARNINGS = {
    DocumentCode.NAN,
    DocumentCode.DUPLICATE_KEY,
    *list(Code)[list(Code).index(Code.TASKS_MISSING) :],
    *list(FormatCode)[list(FormatCode).index(FormatCode.ANSWER_FORM) :],
}

# They need many problems, a slow file or one read record by record: other tests have files for them.
STOPS = {DocumentCode.TOO_MANY_PROBLEMS, DocumentCode.TOO_SLOW, DocumentCode.RECORD_TOO_LARGE}


def test_each_sample_earns_its_code_at_its_position_and_one_mistake_is_one_problem():
    for sample in SAMPLES:
        problems, warnings = read(sample.raw)
        remarks = warnings if sample.code in WARNINGS else problems
        matches = [remark for remark in remarks.listed if remark.code == sample.code]
        assert matches, (sample.code, [remark.code for remark in problems.listed + warnings.listed])
        assert (matches[0].pointer, matches[0].line) == (sample.pointer, sample.line), sample.code
        assert sample.text in matches[0].message, sample.code
        assert matches[0].hint, sample.code
        assert sample.code in WARNINGS or problems.total == 1, sample.code


def test_there_is_a_sample_for_every_code():
    assert {sample.code for sample in SAMPLES} == set(CODES) - STOPS


def test_codes_are_dotted_and_differ():
    codes = [code for section in problems.SECTIONS for code in section.codes]
    assert len({code.value for code in codes}) == len(codes)
    assert all(re.fullmatch(r"[a-z0-9-]+\.[a-z0-9-]+", code.value) for code in codes)


def test_the_pages_of_codes_have_the_tables_as_they_are_now():
    for language, path in problems.PAGES.items():
        assert path.read_text() == problems.page(language), "run `python -m tools.problems`"
