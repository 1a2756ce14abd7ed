"""The released schemas: their contents, and that they never change."""

import hashlib
import json
from pathlib import Path
from unittest import mock

from hypothesis import assume, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support.examples import examples, given
from tests.support.scoring.medagentbench_samples import read
from tests.support.scoring.odd_files import odd_files, odd_lines
from wardboard.scoring.medagentbench.reading import schema_check
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.submission import schemas
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.json_schema.check import SchemaCheck
from wardboard.scoring.reading.limits import Limits

FOLDER = Path(schema_check.__file__).parent / "schema"
# A released schema is immutable: a change is a new file, under a new name.
RELEASED = {
    "result-file-1.0": "1eb3e70b5942008656da799ffe55f806c3786f03ecadc131d8e9c9fa53628b7f",
    "run-line-1.0": "bcfec880b48b14cf81287bd18e2cb4d14a92efc42e3e68157758837ccbc904a9",
}


def valid(name, value):
    return Draft202012Validator(schemas()[name]).is_valid(value)


def parts(schema):
    """Yield a schema and each of its parts."""
    yield schema
    for part in [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]:
        yield from parts(part)


def test_a_released_schema_is_what_it_was():
    for name, digest in RELEASED.items():
        assert hashlib.sha256((FOLDER / f"{name}.json").read_bytes()).hexdigest() == digest, name


def test_the_schema_of_the_result_file_comes_first():
    assert list(schemas()) == ["result-file-1.0", "run-line-1.0"]
    assert {path.stem for path in FOLDER.iterdir()} == set(RELEASED)


def test_a_schema_is_one_of_2020_12_with_a_stable_id_and_examples_that_pass():
    for name in RELEASED:
        schema = schemas()[name]
        Draft202012Validator.check_schema(schema)
        kind, _, version = name.rpartition("-")
        assert schema["$id"] == f"urn:wardboard:medagentbench:{kind}:{version}", name
        assert schema["examples"], name
        assert all(valid(name, example) for example in schema["examples"]), name


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


def test_the_patterns_of_a_schema_are_those_of_whole_texts():
    for name in RELEASED:
        patterns = [part["pattern"] for part in parts(schemas()[name]) if "pattern" in part]
        assert all(pattern.startswith("^") and pattern.endswith("$") for pattern in patterns), name
