"""The hybrid judge: rules first, a language model for the rest."""

from collections.abc import Sequence

from tests.support.llm_server import LlmServer
from tests.support.scoring.llm_cases import judge_at, judge_well, label, make_case, reasons
from wardboard.scoring.fhir_agentbench.judge import HybridJudge
from wardboard.scoring.judging import Case, JudgeVerdict


class Rules:
    """Decide answers that begin with a number."""

    mode, identity = "rules", "rules 9"

    def judge_all(self, cases: Sequence[Case], *, watch=None) -> list[JudgeVerdict]:
        if watch and not watch(0, len(cases)):
            return [JudgeVerdict(correct=None, by="rules", reason="stopped") for _ in cases]
        return [self._one(case) for case in cases]

    def _one(self, case: Case) -> JudgeVerdict:
        if case.agent_answer[:1].isdigit():
            return JudgeVerdict(correct=True, by="rules", reason="number-equal")
        return JudgeVerdict(correct=None, by="rules", reason="unclear")


SURE, UNSURE = make_case(1, agent_answer="1.5"), make_case(2, agent_answer="It is 2.5 or so")


def test_the_llm_gets_only_what_the_rules_leave_undecided():
    with LlmServer(judge_well) as server:
        verdicts = HybridJudge(Rules(), judge_at(server)).judge_all([SURE, UNSURE, SURE, UNSURE])
        assert len(server.requests) == 1
    assert [verdict.by for verdict in verdicts] == ["rules", "llm", "rules", "cache"]
    assert all(verdict.correct for verdict in verdicts)


def test_the_identity_names_the_model_the_prompt_and_the_rules():
    with LlmServer() as server:
        judge = HybridJudge(Rules(), judge_at(server))
        assert (judge.mode, judge.identity) == ("hybrid", "hybrid o4-mini prompt 1 rules 9")


def test_progress_counts_decisions_of_the_rules_and_not_answers_left_to_the_llm():
    progress = []

    def watch(decided, undecided):
        progress.append((decided, undecided))
        return True

    with LlmServer(label(1)) as server:
        HybridJudge(Rules(), judge_at(server)).judge_all([SURE, SURE, UNSURE], watch=watch)
    assert progress[0] == (0, 0)
    assert progress[1] == (2, 0)


def test_a_run_stopped_during_the_rules_asks_no_model():
    with LlmServer() as server:
        judge = HybridJudge(Rules(), judge_at(server))
        verdicts = judge.judge_all([SURE, UNSURE], watch=lambda decided, undecided: False)
        assert (reasons(verdicts), server.requests) == (["stopped", "stopped"], [])


def test_a_provider_that_is_down_leaves_the_verdicts_of_the_rules():
    with LlmServer() as server:
        judge = HybridJudge(Rules(), judge_at(server))
    verdicts = judge.judge_all([SURE, UNSURE])
    assert reasons(verdicts) == ["number-equal", "provider-down"]
    assert [verdict.correct for verdict in verdicts] == [True, None]
