"""Every quirk of the official graders, from our own cases."""

import pytest

from tests.support.quirks.cases import QUIRKS
from wardboard.scoring.medagentbench import grade


@pytest.mark.parametrize(
    ("reference", "answer", "history", "reason"), [q[1:] for q in QUIRKS], ids=[q[0] for q in QUIRKS]
)
def test_a_quirk_is_kept(reference, answer, history, reason):
    verdict = grade(reference, answer=answer, post_history=history)
    assert verdict.reason == reason
    assert verdict.correct is (reason == "correct")
