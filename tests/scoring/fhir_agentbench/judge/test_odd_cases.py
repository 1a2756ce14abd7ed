"""Missing values, and values that are not text: every judge treats them alike."""

import logging

import pytest

from tests.support.llm_server import LlmReply, LlmServer
from tests.support.scoring.llm_cases import judge_at, make_case
from wardboard.scoring.fhir_agentbench.judge import HybridJudge, RulesJudge
from wardboard.scoring.fhir_agentbench.judge.rules import judge as rules


def test_an_answer_on_which_the_rules_fail_fails_no_other(monkeypatch, caplog):
    def fail_on_one(truth, answer, question):
        if "TRUTH" in str(truth):
            raise KeyError("TRUTH")
        return apply_rules(truth, answer, question)

    apply_rules = rules.apply_rules
    monkeypatch.setattr(rules, "apply_rules", fail_on_one)
    caplog.set_level(logging.DEBUG)
    cases = [make_case(1), make_case(2, true_answer="TRUTH"), make_case(3)]
    verdicts = RulesJudge().judge_all(cases)
    assert [verdict.correct for verdict in verdicts] == [True, None, True]
    assert verdicts[1].reason == "unreadable"
    assert [record.getMessage() for record in caplog.records] == ["The rules failed on an answer: KeyError"]


@pytest.mark.parametrize("hybrid", [False, True])
def test_the_rules_report_progress_regularly_and_stop_on_request(monkeypatch, hybrid):
    now = iter(range(1000))
    monkeypatch.setattr(rules, "monotonic", lambda: next(now) * 0.3)
    seen = []

    def watch(decided, undecided):
        seen.append(decided + undecided)
        return len(seen) < 3

    cases = [make_case(number) for number in range(20)]
    with LlmServer(LlmReply()) as server:
        judge = HybridJudge(RulesJudge(), judge_at(server)) if hybrid else RulesJudge()
        verdicts = judge.judge_all(cases, watch=watch)
        assert server.requests == []
    assert seen == [2, 4, 6]
    assert [verdict.reason for verdict in verdicts].count("stopped") == 14
