"""The sentence on a leaderboard about its judge."""

import pytest

from scoring import registry
from scoring.fhir_agentbench.judge import agreement_text

MEASURED = {
    "decide_all": {
        "judge": "rules 1",
        "judged": {"pairs": 1000, "accuracy": 0.95, "share_decided": 1.0, "false_accepts": 12},
    },
    "undecided_allowed": {
        "judge": "rules 1",
        "judged": {"pairs": 1000, "accuracy": 0.995, "share_decided": 0.8, "false_accepts": 1},
    },
}


@pytest.fixture
def agreement_file(monkeypatch, tmp_path):
    (tmp_path / "agreement.json").touch()
    monkeypatch.setattr(agreement_text, "MEASURED", tmp_path / "agreement.json")
    monkeypatch.setattr(agreement_text, "measured_agreement", lambda: MEASURED)
    return tmp_path / "agreement.json"


def test_the_text_states_the_measured_agreement_of_rules_that_decide_all(agreement_file):
    sentence = (
        "Agrees with an LLM judge on 95.0% of the 1,000 answers it was written with, and accepts 1.2% of "
        "them wrongly."
    )
    assert agreement_text.agreement_sentence("rules 1") == sentence


def test_the_text_on_a_hybrid_judge_states_the_share_of_the_rules(agreement_file):
    sentence = agreement_text.agreement_sentence("hybrid o4-mini prompt 1 rules 1")
    assert sentence.startswith(
        "The rules decide 80.0% of the 1,000 answers they were written with, and agree"
    )


@pytest.mark.parametrize("judge", ["", "rules 2", "llm o4-mini prompt 1", "hybrid m prompt 1 rules 11"])
def test_there_is_no_text_about_an_unmeasured_judge(agreement_file, judge):
    assert agreement_text.agreement_sentence(judge) == ""


def test_there_is_no_text_without_any_measurement(agreement_file):
    agreement_file.unlink()
    assert agreement_text.agreement_sentence("rules 1") == ""


def test_a_benchmark_without_a_judge_has_no_text():
    assert registry.get("medagentbench").agreement("") == ""
