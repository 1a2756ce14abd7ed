"""The reader agrees with the released schemas."""

import json
from unittest import mock

from hypothesis import assume, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support.examples import examples, given
from tests.support.scoring.medagentbench_samples import read
from tests.support.scoring.odd_files import odd_files, odd_lines
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.submission import schemas
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.json_schema.check import SchemaCheck
from wardboard.scoring.reading.limits import Limits


def valid(name, value):
    return Draft202012Validator(schemas()[name]).is_valid(value)


def codes_of_schema(raw):
    """Return the problems of `raw` that the schema can find."""
    of_shape = {
        DocumentCode.FIELD_MISSING,
        DocumentCode.FIELD_TYPE,
        Code.ANSWER_NOT_A_STRING,
        Code.ROLE_UNKNOWN,
    }
    return {p.code for p in read(raw, limits=Limits())[0].listed} & of_shape


@settings(max_examples=examples(150))
@given(odd_files)
def test_a_file_has_a_problem_of_shape_exactly_where_the_published_schema_rejects_it(value):
    assume("results" in value)
    for item in value["results"] if isinstance(value["results"], list) else ():
        if isinstance(item, dict) and isinstance(item.get("task_id"), str):
            # Code checks the ids: the schema's pattern is only what all boards have in common.
            item["task_id"] = "task1_1"
    raw = json.dumps(value).encode()
    # A key of the other benchmark's records rejects the whole file before its shape is checked.
    assume(Code.OTHER_BENCHMARK.value not in {problem.code for problem in read(raw)[0].listed})
    rejected = not valid("result-file-1.0", json.loads(json.dumps(value), parse_constant=lambda _: None))
    assert bool(codes_of_schema(raw)) == rejected


@settings(max_examples=examples(150))
@given(odd_lines)
def test_a_line_has_a_problem_of_shape_exactly_where_the_published_schema_rejects_it(value):
    # After a good line, so that the file is recognised as a log whatever this line is.
    raw = b'{"index": 99, "output": null}\n' + json.dumps(value).encode()
    rejected = not valid("run-line-1.0", json.loads(json.dumps(value), parse_constant=lambda _: None))
    assert bool(codes_of_schema(raw)) == rejected


@settings(max_examples=examples(150))
@given(odd_files | st.lists(odd_lines, min_size=1, max_size=3))
def test_a_file_has_the_same_remarks_with_and_without_jsonschema_rs(value):
    raw = json.dumps(value).encode()
    with mock.patch.object(SchemaCheck, "is_surely_valid", return_value=False):
        without_it = read(raw)
    assert read(raw) == without_it
