"""Hypothesis strategies for any JSON, and what is asked of every remark on it."""

import json
from collections.abc import Iterable

from hypothesis import strategies as st

from wardboard.scoring.reading.problems import Problem

texts = st.text(st.characters(codec=None), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


def check_remarks(remarks: Iterable[Problem]) -> None:
    """Check that remarks can be stored, sent and printed."""
    for remark in remarks:
        sent = json.dumps(remark.as_dict(), ensure_ascii=False)
        assert sent.encode("utf-8")
        assert "\0" not in remark.message + remark.hint + remark.pointer
        assert remark.hint.strip()
        assert remark.message.strip()
        assert len(sent) < 5000
