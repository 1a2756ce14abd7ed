"""The places of errors: line, column, result, the quoted lines, and what a fix changes there."""

import csv
import gzip
import io
import json
from itertools import count
from types import SimpleNamespace

from hypothesis import strategies as st

from tests.support.examples import given
from tests.support.scoring.files import refused
from tests.support.scoring.odd_files import values
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.reading import byte_window, places
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.places import RecordLayout, add_places
from wardboard.scoring.reading.problems import Problem, Remarks, pointer
from wardboard.scoring.reading.reports.fixes import change_value, copied, json_text
from wardboard.scoring.runs import read_with_places

MEDAGENTBENCH = registry.get("medagentbench")
FHIR_AGENTBENCH = registry.get("fhir-agentbench")
NO_LAYOUT = RecordLayout()
FIRST, SECOND = "00c0ffee00c0ffee00c0ff01", "00c0ffee00c0ffee00c0ff02"
RESULTS = {
    "version": "v2",
    "results": [
        {"task_id": "task2_1", "answer": "[60]", "post_history": []},
        {"task_id": "task2_5", "answer": [60], "post_history": []},
    ],
}


def errors_of(benchmark: Benchmark, raw: bytes, **options) -> list[Problem]:
    known = {"task_ids": ("task2_1", "task2_5"), "version": "v2", "limits": benchmark.limits, **options}
    return refused(read_with_places, benchmark, io.BytesIO(raw), **known)


def remark(path: str = "", **fields) -> Problem:
    return Problem(code="a.code", pointer=path, message="A message.", hint="A hint.", **fields)


def placed(raw: bytes, *remarks: Problem, layout: RecordLayout = NO_LAYOUT, **options) -> list[Problem]:
    all_remarks = Remarks(listed=list(remarks), total=len(remarks))
    add_places([all_remarks], io.BytesIO(raw), limits=Limits(), layout=layout, **options)
    return all_remarks.listed


def test_an_error_and_a_warning_are_named_by_result_task_and_line_with_the_line():
    raw = json.dumps(RESULTS, indent=2).encode()
    for packed in (raw, gzip.compress(raw)):
        (error,) = errors_of(MEDAGENTBENCH, packed)
        assert (error.pointer, error.where) == ("/results/1/answer", "result 2, task2_5, line 11")
        assert [(line.number, line.text) for line in error.quoted] == [(11, '      "answer": [')]
    results = {**RESULTS, "results": [RESULTS["results"][0], {"task_id": "task2_5", "answer": None}]}
    known = {"task_ids": ("task2_1", "task2_5"), "version": "v2", "limits": MEDAGENTBENCH.limits}
    raw = json.dumps(results, indent=2).encode()
    listed = read_with_places(MEDAGENTBENCH, io.BytesIO(raw), **known).warnings.listed
    assert [(warning.code, warning.where) for warning in listed] == [
        ("answer.null", "result 2, task2_5, line 11"),
        ("history.missing", "result 2, task2_5, line 9"),
    ]
    assert listed[0].quoted[-1].text == '      "answer": null'
    unquoted = read_with_places(MEDAGENTBENCH, io.BytesIO(raw), quotes=False, **known).warnings.listed
    assert [(warning.line, warning.quoted) for warning in unquoted] == [(11, ()), (9, ())]


def test_in_a_file_of_one_line_the_column_says_where_and_the_line_is_cut_around_it():
    results = {**RESULTS, "results": [*RESULTS["results"][:1], {"x": "y" * 900, **RESULTS["results"][1]}]}
    raw = json.dumps(results).encode()
    (error,) = errors_of(MEDAGENTBENCH, raw)
    assert error.where == f"result 2, task2_5, line 1, column {raw.index(b'[60],') + 1:,}"
    (line,) = error.quoted
    assert line.text.startswith("…y")
    assert '"answer": [60]' in line.text
    assert len(line.text) < 210


def test_an_error_in_json_lines_is_on_the_line_of_its_value():
    lines = [
        {"question_id": FIRST, "agent_answer": "72", "agent_fhir_resources": {"Patient": [{}]}},
        {"question_id": SECOND, "agent_answer": "72"},
    ]
    raw = json.dumps(lines[0]).encode() + b"\r\n" + json.dumps(lines[1], indent=0).encode()
    nested, missing = errors_of(FHIR_AGENTBENCH, raw, task_ids=())
    assert nested.where == f"{FIRST}, line 1"
    assert nested.column == raw.index(b"[{}]") + 2
    assert missing.where == f"{SECOND}, line 2"


def test_an_error_in_a_table_is_in_its_cell_however_many_lines_the_row_has():
    rows = io.StringIO()
    csv.writer(rows).writerows(
        [
            ["question_id", "agent_answer", "agent_fhir_resources"],
            [FIRST, "two\nlines", "{}"],
            [SECOND, 'of "three"\n,\nlines', '{"Patient": [{}]}'],
        ]
    )
    raw = "\ufeff".encode() + rows.getvalue().encode()
    (error,) = errors_of(FHIR_AGENTBENCH, raw, task_ids=())
    assert error.where == f"{SECOND}, line 6"
    assert error.quoted[-1].text == 'lines","{""Patient"": [{}]}"'


def test_only_the_first_of_many_equal_errors_quote_the_file_and_all_are_placed():
    errors = placed(b"[1,\n2,\n3,\n4,\n5]", *(remark(f"/{n}") for n in range(5)))
    assert [error.line for error in errors] == [1, 2, 3, 4, 5]
    assert [bool(error.quoted) for error in errors] == [True] * 3 + [False] * 2


def test_when_the_time_is_up_an_error_keeps_its_pointer(monkeypatch):
    clock = SimpleNamespace(monotonic=count().__next__)
    monkeypatch.setattr(places, "time", clock)
    monkeypatch.setattr(byte_window, "time", clock)
    (error,) = placed(b"[" + b" " * 2**20 + b"1]", remark("/0"), seconds=2)
    assert (error.pointer, error.line, error.quoted) == ("/0", None, ())


def test_a_value_behind_deep_nesting_and_a_huge_string_is_found():
    raw = b'{"deep": ' + b"[" * 10**5 + b"]" * 10**5 + b', "long": "' + b'\\"[' * 10**6 + b'",\n"here": 1}'
    (error,) = placed(raw, remark("/here"))
    assert (error.line, error.column) == (2, 9)


def paths_in(value, steps=()):
    yield steps
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield from paths_in(item, (*steps, step))


@given(values, st.sampled_from([None, 0, 1, 4]), st.booleans(), st.booleans())
def test_every_value_of_any_json_is_found_where_it_is_written(value, indent, is_ascii, is_packed):
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    raw = text.encode(errors="surrogatepass")
    paths = [steps for steps in paths_in(value) if steps and len(set(map(str, steps))) < 20]
    found = placed(gzip.compress(raw) if is_packed else raw, *(remark(pointer(*steps)) for steps in paths))
    lines = raw.decode(errors="replace").split("\n")
    for steps, error in zip(paths, found, strict=True):
        item = value
        for step in steps:
            item = item[step]
        if error.pointer.count("/") == len(steps) and "\ufffd" not in lines[error.line - 1]:
            rest = "\n".join([lines[error.line - 1][error.column - 1 :], *lines[error.line :]])
            assert rest.startswith(json.dumps(item, indent=indent, ensure_ascii=is_ascii)[:1])


marks = [b"\xef\xbb\xbf", b"\r\n", *(bytes([byte]) for byte in b'\n\0"\\{}[],: \xff1')]
words = [b'"task_id"', b'"results"', b'"question_id"', b'"x"', b"null", "é".encode()]
hostile_bytes = st.lists(st.sampled_from(marks) | st.sampled_from(words), max_size=40).map(b"".join)


@given(hostile_bytes, st.booleans())
def test_no_bytes_break_the_search_and_only_the_file_itself_is_quoted(raw, is_packed):
    remarks = [remark("/results/0/task_id"), remark("/0/x"), remark("/x", line=2), remark(line=1, column=3)]
    layout = RecordLayout(path=("results",), id_field="task_id")
    for error in placed(gzip.compress(raw)[: -1 if is_packed else None], *remarks, layout=layout):
        for line in error.quoted:
            assert line.text.isprintable()
            assert len(line.text) <= 210
            assert line.number <= raw.count(b"\n") + 1


ANSWER = change_value(60, "[60]")


def fix_of(raw: bytes, path: str, fix, *, quotes: bool = True, **fields):
    remarks = Remarks()
    remarks.add(Problem(code="a.code", pointer=path, message="A message.", hint="A hint.", fix=fix, **fields))
    add_places([remarks], io.BytesIO(raw), limits=Limits(), layout=RecordLayout(), quotes=quotes)
    shown = remarks.listed[0].fix
    return shown and (shown.before, shown.after)


def test_a_value_is_shown_in_its_line_however_the_file_is_laid_out():
    for indent, end, pack in [(1, "\n", bytes), (4, "\r\n", gzip.compress), ("\t", "\r", bytes)]:
        text = json.dumps({"a": {"answer": 60, "b": 1}}, indent=indent).replace("\n", end)
        before, after = fix_of(pack(text.encode()), "/a/answer", ANSWER)
        spaces = " " * 2 * (4 if indent == "\t" else indent)
        assert (before, after) == (f'{spaces}"answer": 60,', f'{spaces}"answer": "[60]",'), (indent, end)
    raw = b'{"a": {"answer": [\n  "S1"\n]}}'
    assert fix_of(raw, "/a/answer", change_value(["S1"], "S1"))[0] == '{"a": {"answer": ["S1"]}}'
    raw = json.dumps({"index": 0, "output": {"result": 60}}).encode()
    assert fix_of(raw, "/output/result", ANSWER, line=1)[1] == '{"index": 0, "output": {"result": "[60]"}}'
    raw = json.dumps([{"x": "y" * 300, "answer": 60, "z": 1}]).encode()
    assert fix_of(raw, "/0/answer", ANSWER) == ('…"answer": 60…', '…"answer": "[60]"…')
    assert copied('…"answer": "[60]"…') == '"answer": "[60]"'


def test_where_the_file_holds_something_else_the_values_stay_alone():
    fix = change_value(["p1"], "p1")
    for raw in (b'{"ids": "p2"}', b"{", b'{"ids": "[\'p1\']"}'):
        assert fix_of(raw, "/ids", fix) == ('["p1"]', '"p1"'), raw
    assert fix_of(b'{"ids": ["p1"]}', "/ids", fix, quotes=False) is None


def test_what_json_cannot_write_or_is_too_long_to_show_has_no_fix():
    for value in ({1, 2}, {"id": b"x"}, {"id": 10**5000}, {(1, 2): 3}, "x" * 400):
        assert change_value(value, "x") is None


@given(values.filter(lambda value: "NaN" not in json.dumps(value)))
def test_what_a_fix_inserts_is_printable_json_of_the_value(value):
    text = json_text(value)
    assert text.isprintable()
    assert json.loads(text) == value


@given(
    before=st.text(max_size=20) | st.integers() | st.booleans() | st.none(),
    after=st.text(max_size=20),
    indent=st.sampled_from([None, 0, 2]),
)
def test_the_line_to_insert_makes_the_file_right(before, after, indent):
    text = json.dumps({"a": 1, "b": before, "c": [2]}, indent=indent)
    removed, inserted = fix_of(text.encode(), "/b", change_value(before, after))
    assert json.loads(text.replace(copied(removed), copied(inserted)))["b"] == after
