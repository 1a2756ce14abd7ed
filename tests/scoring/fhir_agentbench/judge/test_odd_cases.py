"""Missing values, and values that are not text: every judge treats them alike."""

import logging
import math

import pytest

from tests.support.llm_server import LlmReply, LlmServer
from tests.support.scoring.llm_cases import judge_at, judge_well, make_case
from wardboard.scoring.fhir_agentbench.judge import HybridJudge, RulesJudge
from wardboard.scoring.fhir_agentbench.judge.rules import judge as rules


def judge_by_all(case, *script):
    """Return the verdicts of the three judges on `case`."""
    with LlmServer(*script) as server:
        llm = judge_at(server)
        judges = RulesJudge(), HybridJudge(RulesJudge(), llm), llm
        return [judge.judge_all([case])[0] for judge in judges]


def test_a_missing_answer_is_right_only_where_there_is_no_answer():
    for nothing in [None, math.nan]:
        for truth, right in [("no answer", True), ("[]", False), ("[[3]]", False), (None, False)]:
            verdicts = judge_by_all(make_case(agent_answer=nothing, true_answer=truth))
            assert {(v.correct, v.by, v.reason) for v in verdicts} == {(right, "rules", "null")}, nothing


def test_other_fields_that_are_not_text_are_judged_by_their_printed_form():
    odd_fields = [{"true_answer": None}, {"true_answer": 3}, {"question": None}]
    for odd in [*odd_fields, {"assumption": math.nan}, {"assumption": 5}]:
        with LlmServer(judge_well) as server:
            verdict = judge_at(server).judge_all([make_case(**odd)])[0]
            assert verdict.reason == "judged", odd
            assert all(isinstance(value, str | None) for value in server.requests[0].data.values()), odd
        assert RulesJudge().judge_all([make_case(**odd)])[0].reason, odd


def test_an_answer_that_cannot_be_printed_as_text_is_wrong():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    for answer in (nested, 10**5000):
        verdicts = judge_by_all(make_case(agent_answer=answer))
        assert {(v.correct, v.reason) for v in verdicts} == {(False, "unreadable")}


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
