"""Fixes: the line to remove and the line to insert, as they would be in the file."""

import csv
import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.scoring.odd_files import values
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.places import RecordLayout, add_places
from wardboard.scoring.reading.problems import Problem, Remarks
from wardboard.scoring.reading.reports.fixes import add_member, change_value, copied, json_text, rename_key

MRN = ["S9100001"]
WRITTEN = '"[\\"S9100001\\"]"'


def placed(raw: bytes, path: str, fix, *, id_field: str = "", **fields) -> Problem:
    remarks = Remarks()
    remarks.add(Problem(code="a.code", pointer=path, message="A message.", hint="A hint.", fix=fix, **fields))
    layout = RecordLayout(id_field=id_field)
    add_places([remarks], io.BytesIO(raw), limits=Limits(), layout=layout)
    return remarks.listed[0]


def lines_of(raw: bytes, path: str, fix, **options) -> tuple[str, str]:
    shown = placed(raw, path, fix, **options).fix
    return shown.before, shown.after


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("indent", [1, 2, 4, "\t"])
def test_a_value_is_shown_in_its_line_with_its_key_however_the_file_is_laid_out(indent, end, pack):
    text = json.dumps({"a": {"answer": MRN, "b": 1}}, indent=indent).replace("\n", end)
    before, after = lines_of(pack(text.encode()), "/a/answer", change_value(MRN, json.dumps(MRN)))
    # A list on several lines is shown on one.
    assert before.strip() == '"answer": ["S9100001"],'
    assert after.strip() == f'"answer": {WRITTEN},'
    assert before.index('"') == after.index('"') == 2 * (4 if indent == "\t" else indent)


def test_a_long_line_is_cut_to_the_member_that_changes():
    raw = json.dumps([{"x": "y" * 300, "answer": MRN, "z": 1}]).encode()
    before, after = lines_of(raw, "/0/answer", change_value(MRN, json.dumps(MRN)))
    assert (before, after) == ('…"answer": ["S9100001"]…', f'…"answer": {WRITTEN}…')
    assert copied(after) == f'"answer": {WRITTEN}'


def test_a_short_line_is_shown_whole():
    raw = json.dumps({"index": 0, "output": {"result": MRN}}).encode()
    _, after = lines_of(raw, "/output/result", change_value(MRN, json.dumps(MRN)), line=1)
    assert after == f'{{"index": 0, "output": {{"result": {WRITTEN}}}}}'


def test_a_renamed_key_is_shown_in_its_own_line():
    raw = json.dumps({"results": [{"task": 1, "response": "[60]"}]}, indent=1).encode()
    shown = lines_of(raw, "/results/0", rename_key("response", "answer"))
    assert shown == ('   "response": "[60]"', '   "answer": "[60]"')
    assert lines_of(raw, "", rename_key("results", "answers")) == (' "results": [', ' "answers": [')


def test_a_cell_of_a_table_is_written_as_csv_has_it():
    rows = io.StringIO()
    csv.writer(rows).writerows([["question_id", "agent_answer"], ['A "b"', "two\nlines"]])
    raw = rows.getvalue().encode()
    before, after = lines_of(raw, "/question_id", change_value('A "b"', "a, b"), line=2)
    assert (before, after) == ('"A ""b""","two', '"a, b","two')


def test_where_the_file_holds_something_else_the_value_stays_alone():
    fix = change_value("p1", ["p1"])
    assert placed(b"{\"ids\": \"{'Patient': 'p1'}\"}", "/ids/Patient", fix).fix == fix
    assert placed(b'{"ids": "p2"}', "/ids", fix).fix == fix
    assert placed(b"{", "/ids", fix).fix == fix


def test_nothing_is_shown_of_a_file_that_is_not_quoted():
    remarks = Remarks()
    fix = change_value(1, 2)
    remarks.add(Problem(code="a.code", pointer="/a", message="A message.", hint="A hint.", fix=fix))
    layout = RecordLayout()
    add_places([remarks], io.BytesIO(b'{"a": 1}'), limits=Limits(), layout=layout, quotes=False)
    assert remarks.listed[0].fix is None


def test_a_member_to_add_removes_nothing():
    assert add_member("version", "v2").as_dict() == {"before": "", "after": '"version": "v2",'}


@pytest.mark.parametrize("value", [{1, 2}, {"id": b"x"}, {"id": 10**5000}, {(1, 2): 3}])
def test_what_json_cannot_write_has_no_fix(value):
    assert change_value(value, "x") is None


def test_what_is_too_long_to_show_has_no_fix():
    assert change_value("x" * 400, 1) is None
    assert rename_key("x" * 400, "a") is None


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
    removed, inserted = lines_of(text.encode(), "/b", change_value(before, after))
    assert json.loads(text.replace(copied(removed), copied(inserted)))["b"] == after
