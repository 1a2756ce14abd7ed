"""Every quirk of the official graders, from our own cases."""

from tests.support.quirks.cases import QUIRKS
from wardboard.scoring.medagentbench import grade


def test_every_quirk_is_kept():
    assert len(QUIRKS) > 200
    for name, reference, answer, history, reason in QUIRKS:
        verdict = grade(reference, answer=answer, post_history=history)
        assert (verdict.reason, verdict.correct) == (reason, reason == "correct"), name
