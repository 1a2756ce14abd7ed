"""Measuring the nesting of a text before it is parsed, piece by piece or at once."""

import json

from hypothesis import example
from hypothesis import strategies as st

from tests.support.examples import given
from wardboard.scoring.reading import nesting

values = st.recursive(
    st.none() | st.text('\\"[{,é😀', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('\\"]', max_size=4), inner, max_size=3)
    ),
    max_leaves=20,
)


def by_hand(value):
    """Return the number of containers, of commas, and the depth of a value."""
    if not isinstance(value, dict | list):
        return 0, 0, 0
    inner = [by_hand(item) for item in (value.values() if isinstance(value, dict) else value)]
    containers, commas, depth = (list(part) for part in zip(*inner, strict=True)) if inner else ([], [], [0])
    return 1 + sum(containers), sum(commas) + max(len(value) - 1, 0), 1 + max(depth)


@given(values, st.integers(1, 9), st.booleans())
@example(["\\" * 30 + '"[[['], 1, True)
@example(['"\\"[', [",\\\\"]], 2, True)
def test_a_text_is_measured_right_wherever_its_pieces_end(value, size, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    whole, nesting.MIB = nesting.MIB, size
    try:
        assert nesting.measure(nesting.utf8_pieces(f"[{text}]", 1, len(text) + 1)) == by_hand(value)
        assert b"".join(nesting.utf8_pieces(text)) == text.encode()
    finally:
        nesting.MIB = whole
