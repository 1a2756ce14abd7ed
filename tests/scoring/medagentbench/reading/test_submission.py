"""Reading both formats: records, problems and warnings in order; every file is read or rejected."""

import gzip
import json

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support.examples import examples, given
from tests.support.scoring import fhir_submissions as fhir
from tests.support.scoring.medagentbench_samples import (
    REPLY,
    SMALL,
    dump,
    file_of,
    lines,
    post,
    read,
    result,
    run,
)
from tests.support.scoring.odd_files import odd_files, odd_lines
from tests.support.scoring.odd_values import check_remarks
from tests.support.shared_data import MEDAGENTBENCH as SHARED
from tests.support.shared_data import needs_shared
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.schema_check import schemas
from wardboard.scoring.medagentbench.reading.submission import TaskResult, read_submission
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.reading.reports.fixes import Fix

V1, V2 = published_task_ids("v1"), published_task_ids("v2")
ROOMY = Limits()


def reading(raw, task_ids=V1, version="v1", limits=ROOMY):
    return read_submission(raw, task_ids=task_ids, version=version, limits=limits)


def first(raw, code, version="v1"):
    problems, warnings = read(raw, version=version, limits=ROOMY)
    return next(remark for remark in problems.listed + warnings.listed if remark.code == code)


def test_a_result_file_gives_its_records_in_the_order_of_the_file():
    unread = {"expected_sol": ["S2"], "eval_MRN": "S3", "post_count": 1}
    dated = result("task2_1", "[60]", timestamp="2025-10-09T10:53:20.5+02:00")
    outcome = reading(file_of(dated, result("task1_1", None, [post(), REPLY], timestamp="soon", **unread)))
    assert (outcome.version, outcome.format) == ("v1", "result-json")
    assert outcome.records == [
        TaskResult(task_id="task2_1", answer="[60]", post_history=[], finished=1_760_000_000_500),
        TaskResult(task_id="task1_1", answer=None, post_history=[post(), REPLY]),
    ]


def test_run_lines_give_records_by_the_order_of_the_task_file():
    raw = lines(
        *(b"", run(11, "[60]", [{**REPLY, "time": 1}], time={"timestamp": 1_760_000_000_999}), b" "),
        *(run(0.0, time={"timestamp": 10**30}), {"index": 1, "output": None}, b""),
    )
    outcome = reading(raw)
    assert outcome == reading(raw.replace(b"\n", b"\r\n"))
    assert (outcome.version, outcome.format) == (None, "runs-jsonl")
    assert outcome.records == [
        TaskResult(task_id="task2_2", answer="[60]", post_history=[REPLY], finished=1_760_000_000_999),
        TaskResult(task_id="task1_1", answer='["S1"]', post_history=[]),
        TaskResult(task_id="task1_2", answer=None, post_history=[]),
    ]


def test_every_problem_of_a_file_is_reported_at_once_in_order():
    raw = file_of(result("task99_1", 5), "x", result(history=[{"role": "bot"}]), version=2)
    problems, _ = read(raw)
    assert [(p.code, p.pointer) for p in problems.listed] == [
        ("field.type", "/version"),
        ("answer.not-a-string", "/results/0/answer"),
        ("task-id.unknown", "/results/0/task_id"),
        ("field.type", "/results/1"),
        ("field.missing", "/results/2/post_history/0"),
        ("role.unknown", "/results/2/post_history/0/role"),
    ]


def test_a_bad_line_does_not_hide_the_problems_of_the_others():
    problems, _ = read(lines(run(0), b"{oops", run(0, "[]"), {"index": 200, "output": 3}, dump(run(3))[:-5]))
    assert [(p.line, p.code) for p in problems.listed] == [
        (2, "json.syntax"),
        (3, "task-id.repeated"),
        (4, "field.type"),
        (4, "index.out-of-range"),
        (5, "json.truncated"),
    ]


def test_an_unknown_id_names_the_one_that_was_probably_meant_or_is_quoted_shortened():
    meant = {"Task1_1": "task1_1", "task1-1": "task1_1", "TASK 10_010": "task10_10", "3.2": "task3_2"}
    for written, task in meant.items():
        problem = first(file_of(result(written)), "task-id.unknown")
        assert problem.hint == f"Use {task} if that is what you meant.", written
    assert "of another version" in first(file_of(result("task1_30")), "task-id.unknown").hint
    for written in ["task11_1", "task1_99", "", "train", "task1_1\n", "x" * 10_000, "\ud800"]:
        problem = first(file_of(result(written)), "task-id.unknown")
        assert len(problem.message) < 200, written
        assert problem.message.isprintable(), written


def test_a_text_is_measured_in_the_bytes_it_takes():
    for character in ["a", "é", "日", "😀", "\ud800"]:
        each = len(character.encode("utf-8", "surrogatepass"))
        for count, problems in ((100 // each, 0), (100 // each + 1, 1)):
            assert read(file_of(result("task3_1", character * count)))[0].total == problems, character


def test_a_file_of_another_version_is_told_that_and_not_of_its_ids_but_of_every_other_problem():
    results = [result("task1_30"), result("task4_1", "2.7"), result("task4_1", "2.7"), result("x")]
    problems, warnings = read(dump({"version": "v2", "results": results}))
    codes = [problem.code for problem in problems.listed]
    assert codes == ["version.mismatch", "task-id.repeated", "task-id.unknown"]
    assert "“v2”; this leaderboard takes “v1”" in problems.listed[0].message
    assert "answer.shape" in [warning.code for warning in warnings.listed]


def test_a_hint_on_the_layout_names_the_version_of_the_board():
    for value in [{"results": []}, {"version": 2, "results": []}]:
        for version in ("v1", "v2"):
            assert f'"version": "{version}"' in read(dump(value), version=version)[0].listed[0].hint, value


def test_a_hint_on_a_field_is_about_that_field():
    for sent, word in [
        (result(None), "task file"),
        (result(history="none"), "list"),
        (result(history=[1]), "POST"),
    ]:
        assert word in first(file_of(sent), "field.type").hint, sent
    assert "`outputs`" in first(dump({"version": "v1", "outputs": [result()]}), "field.missing").hint


def test_an_answer_that_is_not_a_string_is_shown_as_the_string_to_write_unless_it_is_large():
    for answer, text in [([60], r'"[60]"'), (60, r'"[60]"'), (["S1"], r'"[\"S1\"]"')]:
        problem = first(file_of(result("task2_1", answer)), "answer.not-a-string")
        assert problem.fix == Fix(before=json.dumps(answer), after=text)
    assert first(file_of(result(answer=True)), "answer.not-a-string").fix is None
    problem = first(file_of(result(answer=[["x"] * 10_000])), "answer.not-a-string")
    assert len(problem.message) + len(problem.hint) < 200
    assert problem.fix is None


def test_an_answer_of_another_shape_than_its_task_type_needs_earns_a_warning():
    for kind, fit, misfit in [
        ("task1", ['["S1"]', '["Patient not found"]'], ["[1]", "[]", '"S1"', '["a","b"]']),
        ("task2", ["[60]", "[60.0]"], ["[60.5]", '["60"]', "60", "[true]"]),
        ("task3", ["[]", "done", "", '[""]'], []),
        ("task4", ["[2.7]", "[-1]", " [1]\n"], ["[]", "[NaN]", "[1e400]", "[null]", "{}"]),
        ("task5", ["[]", "[1.8]"], ['["low"]', "[1,2]"]),
        ("task6", ["[89.88888889]"], ["89.9", "[[1]]"]),
        ("task7", ["[123.0]"], ["123.0", "null"]),
        ("task8", ["[]", "referred"], []),
        ("task9", ["[]", "[3.1]"], ["[3.1, 1]"]),
        ("task10", ['[5.9, "2023"]', "[-1]", "[]"], ["[5.9]", '["2023", 5.9]', "[1, 2]", '[1, "a", "b"]']),
    ]:
        for answer in fit + misfit:
            _, warnings = read(file_of(result(f"{kind}_1", answer)))
            remarked = "answer.shape" in [warning.code for warning in warnings.listed]
            assert remarked == (answer in misfit), answer


@needs_shared
def test_real_files_are_read_and_one_in_the_old_layout_is_told_all_that_it_lacks():
    for name in ["copilot_v2.json", "copilot_v2_run20251127_132513.json"]:
        outcome = reading((SHARED / "submissions" / name).read_bytes(), V2, "v2")
        assert len(outcome.records) == 300
        assert {warning.code for warning in outcome.warnings.listed} <= {"answer.shape"}
    with pytest.raises(SubmissionInvalid) as caught:
        reading((SHARED / "submissions" / "copilot_smoke_20251126_200931.json").read_bytes(), V2, "v2")
    assert [p.code for p in caught.value.problems.listed] == ["field.missing"]
    warning_codes = {warning.code for warning in caught.value.warnings.listed}
    assert warning_codes == {"tasks.missing", "history.missing", "answer.not-json"}


@needs_shared
def test_the_published_ids_are_those_of_the_task_files_in_order():
    for version in ("v1", "v2"):
        tasks = json.loads((SHARED / f"test_data_{version}.json").read_bytes())
        assert published_task_ids(version) == tuple(task["id"] for task in tasks)


ROWS = [fhir.record(0), fhir.record(1, agent_answer=None)]
LATER = [{"run": 1, "agent_fhir_resources": {}, "agent_answer": "x"}]


def test_a_file_of_another_benchmark_is_named_with_its_own_leaderboard():
    for raw in [
        fhir.array(*ROWS),
        fhir.lines(*ROWS),
        fhir.lines(*LATER),
        fhir.table(*ROWS),
        fhir.table(*ROWS, delimiter=";"),
        gzip.compress(fhir.array(*ROWS), mtime=0),
        b'{"results": ' + fhir.array(*ROWS) + b"}",
    ]:
        problems, warnings = read(raw)
        assert [(p.code, p.pointer) for p in problems.listed] == [("layout.other-benchmark", "")], raw
        assert "FHIR-AgentBench" in problems.listed[0].message + problems.listed[0].hint, raw
        assert warnings.total == 0, raw


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
