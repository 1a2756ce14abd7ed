"""The sentence on a leaderboard about its judge."""

import pytest

from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.judge import agreement_text

MEASURED = {
    "judge": "rules 6",
    "wordings": 100,
    "styles": 2,
    "right": 60,
    "decided_right": 48,
    "decided_right_95": [0.682, 0.882],
    "called_wrong": 3,
    "wrong": 40,
    "wrong_accepted": 1,
}
SENTENCE = (
    "On 100 answers in 2 styles by a writer who had not read the rules, the rules decide 80.0% of the right "
    "answers right (95% interval 68.2% to 88.2%), call 3 of 60 wrong, accept 1 of 40 wrong ones, and leave "
    "the others open."
)


@pytest.fixture(autouse=True)
def measured(monkeypatch):
    monkeypatch.setattr(agreement_text, "measured_agreement", lambda: MEASURED)


def test_the_text_states_what_unseen_answers_showed_with_its_interval():
    for judge in ["rules 6", "hybrid o4-mini prompt 1 rules 6"]:
        assert agreement_text.agreement_sentence(judge) == SENTENCE


def test_there_is_no_text_about_an_unmeasured_judge_or_for_a_benchmark_without_one():
    for judge in ["", "rules 7", "llm o4-mini prompt 1", "hybrid m prompt 1 rules 64"]:
        assert agreement_text.agreement_sentence(judge) == ""
    assert registry.get("medagentbench").agreement("") == ""
