"""Fixes: the line to remove and the line to insert, as they would be in the file."""

import gzip
import io
import json

from hypothesis import strategies as st

from tests.support.examples import given
from tests.support.scoring.odd_files import values
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.places import RecordLayout, add_places
from wardboard.scoring.reading.problems import Problem, Remarks
from wardboard.scoring.reading.reports.fixes import change_value, copied, json_text

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
