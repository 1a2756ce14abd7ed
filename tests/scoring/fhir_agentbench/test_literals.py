"""Printed Python values: read as Python reads them, and never run."""

import ast
import contextlib
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.fhir_agentbench.literals import LiteralInvalid, parse_literal

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    scalars | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.sets(scalars | st.text(), min_size=1)
        | st.dictionaries(scalars | st.text(), inner)
    ),
    max_leaves=15,
)
TOKENS = [
    "'a'",
    '"b"',
    "'''c'''",
    "u'd'",
    r"r'\e'",
    r"'\x41'",
    "''",
    "'",
    *"[](){},:+- ",
    "1",
    "012",
    "0x1f",
]
TOKENS += ["00", "1_0", "1__0", "1e5", ".5", "5.", "None", "true", "f()"]


@settings(deadline=None)
@given(values)
def test_what_repr_prints_is_read_back(value):
    assert parse_literal(repr(value)) == value


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=8).map("".join))
@example("{'a': null}")
@example("{'a': 1,}")
@example("[1 2]")
@example("('a' 'b')")
@example("{'a': {[]: 1}}")
def test_what_is_read_is_what_python_reads(text):
    try:
        value = parse_literal(text)
    except LiteralInvalid:
        # Only a tuple without brackets is literal for Python and not here.
        with contextlib.suppress(ValueError, SyntaxError, TypeError):
            assert isinstance(ast.literal_eval(text), tuple)
    else:
        assert repr(value) == repr(ast.literal_eval(text))


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text_is_read_or_turned_away(text):
    for written in (text, f"['{text}']"):
        with contextlib.suppress(LiteralInvalid):
            parse_literal(written)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "f()",
        "a",
        "[x for x in y]",
        "1+1",
        "{**{}}",
        "[*a]",
        "f'{1}'",
        "lambda: 0",
        "__import__('os')",
        "9" * 5000,
    ],
)
def test_what_would_have_to_be_run_is_turned_away(text):
    with pytest.raises(LiteralInvalid):
        parse_literal(text)


def test_depth_and_number_of_values_are_limited():
    assert parse_literal("[[['a']]]", depth=3) == [[["a"]]]
    for text in ("[[[['a']]]]", '[[[["a"]]]]'):
        with pytest.raises(LiteralInvalid):
            parse_literal(text, depth=3)
    assert parse_literal("['a', 'b']", values=3) == ["a", "b"]
    for text in ("['a', 'b', 'c']", '["a", "b", "c"]'):
        with pytest.raises(LiteralInvalid):
            parse_literal(text, values=3)


@pytest.mark.parametrize("unit", ["[", "(", "{", "-", "'", "'a' ", "[],", "1+", "{'a':", '"""', "\\"])
def test_a_hostile_text_is_turned_away_in_linear_time(unit):
    started = time.monotonic()
    with contextlib.suppress(LiteralInvalid):
        parse_literal(unit * 300_000)
    assert time.monotonic() - started < 10
