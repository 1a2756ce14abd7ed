"""The sentence on a leaderboard about its judge."""

import pytest

from scoring import registry
from scoring.fhir_agentbench.judge import agreement_text

MEASURED = {
    "judge": "rules 3",
    "pairs": 1000,
    "forms": 2,
    "share_decided": 0.8,
    "accuracy": 0.995,
    "accuracy_95": [0.988, 0.998],
}
SENTENCE = (
    "Of 1,000 answers in 2 forms, worded in ways that the rules were not written for, they decide "
    "80.0%, and 99.5% of these rightly (95% interval 98.8% to 99.8%)."
)


@pytest.fixture(autouse=True)
def measured(monkeypatch):
    monkeypatch.setattr(agreement_text, "measured_agreement", lambda: MEASURED)


@pytest.mark.parametrize("judge", ["rules 3", "hybrid o4-mini prompt 1 rules 3"])
def test_the_text_states_what_was_measured_out_of_sample_with_its_interval(judge):
    assert agreement_text.agreement_sentence(judge) == SENTENCE


@pytest.mark.parametrize("judge", ["", "rules 4", "llm o4-mini prompt 1", "hybrid m prompt 1 rules 33"])
def test_there_is_no_text_about_an_unmeasured_judge(judge):
    assert agreement_text.agreement_sentence(judge) == ""


def test_a_benchmark_without_a_judge_has_no_text():
    assert registry.get("medagentbench").agreement("") == ""
