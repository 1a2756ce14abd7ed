"""From bytes to JSON: accepted and rejected texts, and the cost of reading."""

import gzip
import json
import time
import tracemalloc
import zlib

import pytest

from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.streams.text_stream import read_text

LIMITS = Limits()


def parse(text, limits=LIMITS):
    """Return the value and the warnings as (code, pointer)."""
    findings = Findings.under(limits)
    value = parse_json(text, findings)
    return value, [(warning.code, warning.pointer) for warning in findings.warnings.listed]


def trouble(text, limits=LIMITS):
    with pytest.raises(Unreadable) as caught:
        parse(text, limits)
    return caught.value.problem


def unreadable(raw, limits=LIMITS):
    with pytest.raises(Unreadable) as caught:
        read_text(raw, limits)
    return caught.value.problem


def test_several_gzip_members_and_padding_are_one_file_within_the_limit():
    raw = gzip.compress(b'{"a":') + gzip.compress(b"") + gzip.compress(b" 1}") + b"\0" * 512
    assert read_text(raw, LIMITS) == '{"a": 1}'
    raw = gzip.compress(b'"12345678"')
    assert read_text(raw, Limits(unpacked_bytes=10)) == '"12345678"'
    assert unreadable(raw + gzip.compress(b"9"), Limits(unpacked_bytes=10)).code == "file.too-large"


def test_a_gzip_bomb_costs_no_more_than_the_limit():
    packer = zlib.compressobj(1, wbits=31)
    bomb = b"".join(packer.compress(bytes(MIB)) for _ in range(100)) + packer.flush()
    tracemalloc.start()
    problem = unreadable(bomb, Limits(unpacked_bytes=MIB))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problem.code == "file.too-large"
    assert peak < 6 * MIB


def test_many_empty_gzip_members_are_read_in_linear_time():
    started = time.process_time()
    assert unreadable(gzip.compress(b"") * 50_000).code == "file.empty"
    assert time.process_time() - started < 20


def test_a_file_of_another_kind_is_named_and_a_text_with_the_mark_of_zip_is_none():
    for begin, word in (
        (b"PK\x05\x06", "zip"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        ('{"a": 1}'.encode("utf-32-be"), "UTF-32"),
        (b"\0\0\xfe\xff", "UTF-32"),
    ):
        assert word in unreadable(begin + bytes(20)).message, begin
    assert read_text(b"PK and more", LIMITS) == "PK and more"


def test_a_text_cut_anywhere_is_reported_as_cut_off():
    cuts = {'{"a": tru': 10, '{"a": "\\u12': 12, '"a\\': 4, "[1.": 4, "[2e+": 5, "[-": 3, "[1, ": 5}
    for text, column in cuts.items():
        assert f"line 1, column {column}" in trouble(text).message, text
    value = {"a": [1, -2.5e-7, True, None, 'é\\"\n😀'], "b": {"c": {}}}
    for whole in (json.dumps(value, ensure_ascii=False), json.dumps(value)):
        assert {trouble(whole[:end]).code for end in range(1, len(whole))} == {"json.truncated"}


def test_the_last_of_repeated_keys_wins_and_constants_are_null_with_a_warning_for_each_at_its_place():
    value, warnings = parse('[{"a": 1, "b": 2, "a": 3, "a": 4, "b": NaN, "c/d": [-Infinity, 1e400, "NaN"]}]')
    assert value == [{"a": 4, "b": None, "c/d": [None, float("inf"), "NaN"]}]
    assert warnings == [("json.duplicate-key", "/0")] * 2 + [("json.nan", "/0/b"), ("json.nan", "/0/c~1d/0")]
    findings = Findings.under(Limits(listed=3))
    parse_json("[" + '{"a": 1, "a": 2},' * 10 + "0]", findings)
    assert (len(findings.warnings.listed), findings.warnings.total) == (3, 10)


def test_nesting_is_allowed_up_to_the_limit():
    limits = Limits(depth=3)
    assert parse('[[["[[["]]]', limits)[0] == [[["[[["]]]
    problem = trouble('{"a": [[\n[]]]}', limits)
    assert (problem.code, problem.line, problem.pointer) == ("json.too-complex", 2, "/a/0/0")
    # Even where the limit is beyond that of the interpreter.
    assert trouble("[" * 100_000, Limits(depth=10**6)).code == "json.too-complex"


def test_more_values_than_the_limit_are_rejected_before_they_are_created():
    for item in ("{},", "[],", "1,", '"a",', "NaN,", '{"a":[{"b":'):
        assert trouble("[" + item * 300_000, Limits(containers=100_000)).code == "json.too-complex", item


def test_the_problem_of_a_long_integer_names_its_line():
    digits = "1" * 4301
    problem = trouble(f'["{digits}",\n1.{digits}, 1e-{digits[:3]}, {digits[1:]},\n-{digits}]')
    assert "4,300 digits" in problem.message
    assert (problem.code, problem.line) == ("json.too-complex", 3)


def test_the_commonest_slips_of_people_have_a_fix_of_their_own():
    for text, word in {
        '{"a": 1,}': "comma",
        "[1, 2,\n]": "comma",
        '{"a": 1 // one\n}': "comment",
        "[1, # one\n2]": "comment",
        '{"a": "C:\\data"}': "backslash",
        '{"a": "one\ntwo"}': "line break",
    }.items():
        assert word in str(trouble(text).hint), text
