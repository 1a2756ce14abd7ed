"""Problems that prevent scoring: each at its place, and all at once."""

import gzip
import json

import pytest

from tests.support.scoring.fhir_submissions import IDS, array, lines, read, record, table
from tests.support.scoring.files import without
from wardboard.scoring.medagentbench.demo import GOOD, RUNS


def test_every_problem_of_every_record_is_found_at_once():
    result = read(
        array(
            record(0, agent_fhir_resources={"Patient": [{}]}),
            7,
            without(record(1), "question_id"),
            record(2, question_id=5),
            record(2, question_id=IDS[2].upper() + " "),
            record(2, question_id="f" * 24),
            record(0),
            {"question_id": IDS[3]},
        )
    )
    assert [(p.code, p.pointer) for p in result.problems] == [
        ("resources.nested-ids", "/0/agent_fhir_resources/Patient/0"),
        ("field.type", "/1"),
        ("field.missing", "/2"),
        ("field.type", "/3/question_id"),
        ("field.type", "/4/question_id"),
        ("question-id.unknown", "/5/question_id"),
        ("question-id.repeated", "/6/question_id"),
        ("field.missing", "/7"),
        ("field.missing", "/7"),
    ]
    assert IDS[2] in result.problems[4].hint
    assert "record 1" in result.problems[6].message


def test_a_problem_of_json_lines_and_of_a_table_has_the_line():
    result = read(b"\n" + lines(record(0), record(1)) + b"\n" + lines(record(0)))
    assert [(p.code, p.pointer, p.line) for p in result.problems] == [
        ("question-id.repeated", "/question_id", 5)
    ]
    assert "line 2" in result.problems[0].message
    result = read(table(record(0, agent_answer="a\nb\n"), record(0), record(1)))
    assert [(p.code, p.line) for p in result.problems] == [("question-id.repeated", 5)]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_cut_anywhere_is_reported_as_cut_off_after_its_complete_records(indent):
    raw = array(record(0), record(1, agent_answer="é \\ \n"), indent=indent, ensure_ascii=False)
    ends = raw.index(b'"' + IDS[1].encode())
    for end in range(2, len(raw)):
        (problem,) = read(raw[:end]).problems
        assert problem.code == "json.truncated", raw[:end][-20:]
        if end > ends and "within a character" not in problem.message:
            assert f"after {1 if end < len(raw.rstrip(b']').rstrip()) else 2} whole record" in problem.message


def test_reading_continues_after_a_broken_record():
    broken = json.dumps(record(1)).replace('"agent_answer":', '"agent_answer" ')
    text = f"[\n{json.dumps(record(0))},\n{broken},\n{json.dumps(record(0))}\n{json.dumps(record(2))},\n]"
    result = read(text.encode())
    assert [(p.code, p.pointer, p.line) for p in result.problems] == [
        ("json.syntax", "/1", 3),
        ("question-id.repeated", "/2/question_id", None),
        ("json.syntax", "/2", 5),
        ("json.syntax", "/4", 6),
    ]
    assert "comma" in result.problems[-1].hint


def test_a_record_that_is_cut_is_reported_where_it_ends_and_hides_no_other():
    for join in ["\n", ",\n"]:
        for end in ['{"que', '"question_id":', '"agent_answer": ', "}", "}}"]:
            good = [json.dumps(record(n)) for n in range(4)]
            cut = good[1][: good[1].index(end) + len(end)] if end != "}}" else good[1][:-1]
            text = join.join([good[0], cut, good[2], json.dumps({"question_id": 7})])
            # A cut record has no comma after it.
            raw = text if join == "\n" else f"[\n{text.replace(f'{cut},', cut)}\n]"
            first = 1 if join == "\n" else 2
            problems = read(raw.encode()).problems
            assert [(p.code, p.line, p.column) for p in problems if p.code == "json.syntax"] == [
                ("json.syntax", first + 1, len(cut) + 1)
            ]
            assert f"the next record begins on line {first + 2}" in problems[0].message, join
            assert "field.type" in [p.code for p in problems], join


def test_a_file_that_is_not_a_submission_is_named_for_what_it_is():
    for raw, code in [
        (b"", "file.empty"),
        (b" \r\n\t" * 10, "file.empty"),
        (b"[]", "records.empty"),
        (b"question_id,agent_answer,agent_fhir_resources\n", "records.empty"),
        (GOOD.read_bytes(), "records.other-benchmark"),
        (RUNS.read_bytes(), "records.other-benchmark"),
        (array({"task_id": "task1_1", "answer": "[]"}), "records.other-benchmark"),
        (json.dumps({"a": [record()], "b": [record()]}).encode(), "runs.several-systems"),
        (json.dumps({"run 1": [record()], "run 2": [record()]}).encode(), "records.layout"),
        (json.dumps({IDS[0]: {"a": {"answer": "1"}, "b": {"answer": "2"}}}).encode(), "runs.several-systems"),
        (json.dumps({IDS[0]: record()}).encode(), "layout.no-results"),
        (b"the run went well", "file.other-text"),
        (b"<!doctype html><html>", "file.other-text"),
        (array(record()).decode().encode("utf-16"), "file.not-utf-8"),
        (
            array(record(agent_answer="Zürich"), ensure_ascii=False).decode().encode("latin-1"),
            "file.not-utf-8",
        ),
        (gzip.compress(array(record()), mtime=0)[:-5], "file.gzip-damaged"),
        (array(record()) + array(), "json.several-documents"),
        (b"question_id;agent_answer;agent_fhir_resources\na;b;c\n", "table.broken"),
        (b"question_id,agent_answer\na,b\n", "table.columns-missing"),
        (b"one,two\n1,2\n", "table.columns-missing"),
        (b"question_id,question_id,agent_answer,agent_fhir_resources\n1,2,3,4\n", "table.broken"),
        (b'question_id,agent_answer,agent_fhir_resources\n1,"a"b,c\n', "table.broken"),
        (table(record(0)) + b"a,b\r\n", "table.broken"),
    ]:
        result = read(raw)
        assert (result.reading, [problem.code for problem in result.problems]) == (None, [code]), raw


def test_no_remark_quotes_a_copied_reference():
    result = read(array(record(0, true_answer="[[SECRET]]"), record(0, true_answer="[[SECRET]]")))
    assert result.problems
    assert "SECRET" not in str(result.problems) + str(result.warnings)


def test_a_figure_of_usage_that_no_question_can_take_is_a_problem():
    for field, most in [("cost", 10**6), ("llm_calls", 10**6), ("prompt_tokens", 10**12)]:
        for beyond in [1.7e308, 10**400]:
            (problem,) = read(array(record(usage={field: beyond}))).problems
            assert (problem.code, problem.pointer) == ("usage.too-large", f"/0/usage/{field}"), field
            assert read(array(record(usage={field: most + 1}))).reading is None, field
            assert read(array(record(usage={field: most}))).reading is not None, field


def test_a_slip_that_needs_no_thought_has_a_fix():
    for change, code, before, after in [
        ({"agent_answer": 5}, "agent-answer.not-a-string", 5, "5"),
        ({"agent_answer": ["a", 2]}, "agent-answer.not-a-string", ["a", 2], "a, 2"),
        ({"error": False}, "error.not-a-string", False, None),
        ({"agent_fhir_resources": {"Patient": "p1"}}, "resources.ids", "p1", ["p1"]),
        ({"agent_fhir_resources": {"Patient": [12]}}, "resources.ids", 12, "12"),
        ({"agent_fhir_resources": {"Patient": ["Patient/1"]}}, "resources.id-prefixed", "Patient/1", "1"),
        ({"agent_fhir_resources": {"Patient": [{"id": "1"}]}}, "resources.nested-ids", {"id": "1"}, "1"),
        ({"question_id": IDS[0].upper()}, "field.type", IDS[0].upper(), IDS[0]),
    ]:
        outcome = read(array(record(0, **change)))
        (fix,) = [one.fix for one in (*outcome.problems, *outcome.warnings) if one.code == code]
        assert (json.loads(fix.before), json.loads(fix.after)) == (before, after), change


def test_a_slip_that_needs_thought_has_none():
    for change in [
        *({"agent_answer": answer} for answer in (["a", None], True, float("inf"))),
        {"error": True},
        {"usage": {"cost": "$0.1"}},
        *({"agent_fhir_resources": {"Patient": ids}} for ids in ("p1, p2", [None])),
    ]:
        outcome = read(array(record(0, **change)))
        assert [
            one.fix for one in (*outcome.problems, *outcome.warnings) if one.code != "questions.missing"
        ] == [None]
