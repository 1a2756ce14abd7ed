"""Every file gives a Reading or SubmissionInvalid, with remarks that can be stored and sent."""

import json

from hypothesis import settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support.examples import examples, given
from tests.support.scoring.medagentbench_samples import SMALL, read
from tests.support.scoring.odd_files import V1, odd_files, odd_lines
from tests.support.scoring.odd_values import check_remarks
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.schema_check import schemas
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

thorough = settings(max_examples=examples(200))


def check(raw: bytes) -> None:
    try:
        reading = read_submission(raw, task_ids=V1, version="v1", limits=SMALL)
    except SubmissionInvalid as invalid:
        remarks = [invalid.problems, invalid.warnings]
        assert remarks[0].listed
    else:
        assert {record.task_id for record in reading.records} <= set(V1)
        assert reading.records
        remarks = [reading.warnings]
    for listed in remarks:
        assert len(listed.listed) == min(listed.total, SMALL.listed)
        check_remarks(listed.listed)


@thorough
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_rejected(raw):
    check(raw)


OF_SHAPE = {DocumentCode.FIELD_MISSING, DocumentCode.FIELD_TYPE, Code.ANSWER_NOT_A_STRING, Code.ROLE_UNKNOWN}


def check_schema(raw, name, value):
    """Check that there is a problem of shape exactly where the published schema rejects a value."""
    codes = {problem.code for problem in read(raw, limits=Limits())[0].listed}
    seen = json.loads(json.dumps(value), parse_constant=lambda _: None)
    # A file of another kind is rejected before its shape is checked.
    if not any(code.startswith("layout.") for code in codes):
        assert bool(codes & OF_SHAPE) == (not Draft202012Validator(schemas()[name]).is_valid(seen))


@thorough
@given(odd_files)
def test_any_nearly_valid_file_is_read_or_rejected_as_its_schema_says(value):
    check(json.dumps(value).encode())
    check(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    for item in value["results"] if isinstance(value.get("results"), list) else ():
        if isinstance(item, dict) and isinstance(item.get("task_id"), str):
            # Code checks the ids: the schema's pattern is only what all boards have in common.
            item["task_id"] = "task1_1"
    if "results" in value:
        check_schema(json.dumps(value).encode(), "result-file-1.0", value)


@thorough
@given(st.lists(odd_lines, min_size=1, max_size=5))
def test_any_nearly_valid_lines_are_read_or_rejected_as_their_schema_says(rows):
    check("\n".join(json.dumps(row) for row in rows).encode())
    # After a good line, so that the file is recognised as a log whatever this line is.
    raw = b'{"index": 99, "output": null}\n' + json.dumps(rows[0]).encode()
    check_schema(raw, "run-line-1.0", rows[0])
