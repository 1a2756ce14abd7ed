"""Printed Python values: parsed as Python does, and never executed."""

import ast
import contextlib
import time
import warnings

import pytest
from hypothesis import example, settings
from hypothesis import strategies as st

from tests.support.examples import examples, given
from wardboard.scoring.fhir_agentbench.reading.literals import LiteralInvalid, parse_literal

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    scalars | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.sets(st.text(), min_size=1)
        | st.dictionaries(st.text(), inner)
    ),
    max_leaves=15,
)
TOKENS = [
    *("'a'", '"b"', "'''c'''", "u'd'", r"r'\e'", r"'\x41'", "''", "'", *"[](){},:+- ", "1", "012", "0x1f"),
    *(r"'\n\\\t\101\0'", r"'\u00e9\U0001F600\ud800'", r"'\d\x4'", "'a\\\nb'", "'''\r\n\r'''"),
    *("00", "1_0", "1__0", "1e5", ".5", "5.", "None", "true", "f()"),
]


def as_read(value):
    """Return `value` without numbers that would have to be hashed."""
    if isinstance(value, dict):
        return {str(key): as_read(item) for key, item in value.items()}
    if isinstance(value, set):
        return value if all(isinstance(item, str) for item in value) else list(value)
    return type(value)(map(as_read, value)) if isinstance(value, list | tuple) else value


@settings(max_examples=examples(500))
@given(st.lists(st.sampled_from(TOKENS), max_size=8).map("".join))
@example("{'a': null}")
@example("{'a': 1,}")
@example("[1 2]")
@example("'a'\n'b'")
@example("-\n1")
@example("\n['a'\n'b', -\n1]\n")
@example("('a' 'b')")
@example("[\u0663, 1]")
@example("[1, 2 ,0, -1, 10,]")
@example("['a' , '''b''', 'c', \"d\",]")
@example("['a',,]")
@example("[00, 1,]")
@example("{'a': {[]: 1}}")
def test_literals_are_read_as_python_reads_them(text):
    try:
        value = parse_literal(text)
    except LiteralInvalid:
        # Python accepts a tuple without brackets; this parser does not.
        with contextlib.suppress(ValueError, SyntaxError, TypeError):
            assert isinstance(ast.literal_eval(text), tuple)
    else:
        with warnings.catch_warnings():
            # The warning about an invalid escape, which stays as it is.
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            assert repr(value) == repr(as_read(ast.literal_eval(text)))


def test_an_expression_and_forms_that_nothing_prints_are_rejected():
    expressions = ["", "f()", "a", "[x for x in y]", "1+1", "{**{}}", "[*a]", "f'{1}'", "lambda: 0"]
    # Python alone reads the last four.
    unprinted = ["{'A': ...}", "{'A': ['x']} # y", "{'A': [b'x']}", "{'A': [1j]}"]
    assert all("A" in ast.literal_eval(text) for text in unprinted)
    for text in [*expressions, "__import__('os')", "9" * 5000, *unprinted]:
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


def test_a_number_too_long_to_print_is_rejected():
    octal, binary = "0o" + "7" * 20_000, "0b" + "1" * 20_000
    for number in ["0x" + "f" * 20_000, "0x" + "f" * 4000, octal, binary, "1" * 4301, "1." * 9000]:
        with pytest.raises(LiteralInvalid):
            parse_literal(f"{{'A': [{number}, '\"']}}")


def test_numbers_with_equal_hashes_cost_no_more_than_others():
    numbers = ",".join(str(n * (2**61 - 1)) for n in range(40_000))
    started = time.process_time()
    assert len(parse_literal("{" + numbers + "}")) == 40_000
    assert len(parse_literal("{" + numbers.replace(",", ":1,") + ":1}")) == 40_000
    assert time.process_time() - started < 20


def test_keys_that_are_not_text_become_their_printed_form():
    assert parse_literal("{1: 'a', None: 'b', 'x': 'c'}") == {"1": "a", "None": "b", "x": "c"}
    for text in ("{(1,): 'a'}", "{(1, 2)}", "{()}"):
        with pytest.raises(LiteralInvalid):
            parse_literal(text)
