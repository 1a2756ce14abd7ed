"""The sentence on a leaderboard about its judge."""

import pytest

from scoring import registry
from scoring.fhir_agentbench.judge import agreement_text

MEASURED = {
    "judge": "rules 4",
    "wordings": 100,
    "styles": 2,
    "right": 60,
    "wrong": 40,
    "first": {"decided_right": 0.8, "decided_right_95": [0.7, 0.88], "wrong_accepted": 1},
    "now": {"decided_right": 0.9, "wrong_accepted": 0},
}
SENTENCE = (
    "On 100 answers in 2 styles by writers who had not read the rules, they decided 80.0% of the right "
    "answers right "
    "at the first measurement (95% interval 70.0% to 88.0%) and accepted 1 of 40 wrong ones. Since they "
    "were corrected "
    "on these answers, they decide 90.0% right and accept 0."
)


@pytest.fixture(autouse=True)
def measured(monkeypatch):
    monkeypatch.setattr(agreement_text, "measured_agreement", lambda: MEASURED)


@pytest.mark.parametrize("judge", ["rules 4", "hybrid o4-mini prompt 1 rules 4"])
def test_the_text_states_the_first_measurement_with_its_interval_and_the_one_after_corrections(judge):
    assert agreement_text.agreement_sentence(judge) == SENTENCE


@pytest.mark.parametrize("judge", ["", "rules 5", "llm o4-mini prompt 1", "hybrid m prompt 1 rules 44"])
def test_there_is_no_text_about_an_unmeasured_judge(judge):
    assert agreement_text.agreement_sentence(judge) == ""


def test_a_benchmark_without_a_judge_has_no_text():
    assert registry.get("medagentbench").agreement("") == ""
