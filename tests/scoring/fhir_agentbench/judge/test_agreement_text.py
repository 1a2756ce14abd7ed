"""The sentence on a leaderboard about its judge."""

from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.judge import agreement_text


def test_the_sentence_states_what_was_measured_of_these_rules_alone():
    measured = agreement_text.measured_agreement()
    rules = measured["judge"]
    share = f"{100 * measured['decided_right'] / measured['right']:.1f}%"
    for judge in [rules, f"hybrid o4-mini prompt 1 {rules}"]:
        sentence = agreement_text.agreement_sentence(judge)
        assert f"the rules decide {share} of the right answers right" in sentence
        assert f"accept {measured['wrong_accepted']} of {measured['wrong']} wrong ones" in sentence
    for judge in ["", "rules 8", "llm o4-mini prompt 1", "hybrid m prompt 1 rules 64"]:
        assert agreement_text.agreement_sentence(judge) == ""
    assert registry.get("medagentbench").agreement("") == ""
