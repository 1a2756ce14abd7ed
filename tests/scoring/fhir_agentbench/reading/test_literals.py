"""Printed Python values: parsed as Python does, and never executed."""

import ast
import contextlib
import time

import pytest
from hypothesis import example, settings
from hypothesis import strategies as st

from tests.support.examples import examples, given
from wardboard.scoring.fhir_agentbench.reading.literals import LiteralInvalid, parse_literal

TOKENS = [
    *("'a'", '"b"', "''", *"[](){},: ", "1", "012", "-5", "1e5", "None", "True", "true", "f()"),
    *(r"'\n\\\t\''", r"'\u00e9\U0001F600\ud800\x41'", "'\"'", "{'a': ", "{'a', ", "('a', "),
]


def as_read(value):
    """Return `value` with lists in place of sets."""
    if isinstance(value, dict):
        return {key: as_read(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(as_read, value))
    return list(value) if isinstance(value, set) else value


@settings(max_examples=examples(500))
@given(st.lists(st.sampled_from(TOKENS), max_size=8).map("".join))
@example("{'a': null}")
@example("{'a': 1,}")
@example("[1 2]")
@example("[\u0663, 1]")
@example("[1, 2 ,0, -1, 10,]")
@example("['a',,]")
@example("[,]")
@example("{'\\x00tuple': 5}")
@example("['it\\'s', ('b', \"c\"), {'d'}]")
def test_what_is_read_is_what_python_reads(text):
    try:
        value = parse_literal(text)
    except LiteralInvalid:
        return
    if "(" not in text:
        # Nothing prints a value in brackets, which is a tuple here.
        assert repr(value) == repr(as_read(ast.literal_eval(text)))


@settings(max_examples=examples(300))
@given(st.text())
def test_any_text_is_read_or_rejected_and_what_python_prints_is_read(text):
    for written in (text, f"['{text}']"):
        with contextlib.suppress(LiteralInvalid):
            parse_literal(written)
    value = {"A": [text, (text,), None], text.replace("\0", ""): {"B": True}}
    assert parse_literal(repr(value)) == value


def test_an_expression_and_forms_that_nothing_prints_are_rejected():
    expressions = ["", "f()", "a", "[x for x in y]", "1+1", "{**{}}", "[*a]", "f'{1}'", "lambda: 0"]
    unprinted = ["{'A': ...}", "{'A': ['x']} # y", "{'A': [b'x']}", "{'A': [1j]}", "{1: 'a'}", "['a' 'b']"]
    for text in [*expressions, "__import__('os')", "[" + "9" * 5000 + ", '\"']", *unprinted]:
        with pytest.raises(LiteralInvalid):
            parse_literal(text)


def test_depth_and_number_of_values_are_limited():
    assert parse_literal("[[['a']]]", depth=3) == [[["a"]]]
    assert parse_literal("['a', 'b']", values=3) == ["a", "b"]
    for text, limit in [("[[[[{}]]]]", {"depth": 3}), ("[{}, 'b', 'c']", {"values": 3})]:
        for quoted in ("'a'", '"a"'):
            with pytest.raises(LiteralInvalid):
                parse_literal(text.format(quoted), **limit)


def test_a_hostile_text_is_rejected_in_linear_time():
    for unit in ["[", "(", "{", "-", "'", "'a' ", "[],", "1+", "{'a':", "1,", "\\"]:
        started = time.process_time()
        with contextlib.suppress(LiteralInvalid):
            parse_literal(unit * 300_000)
        assert time.process_time() - started < 20, unit
