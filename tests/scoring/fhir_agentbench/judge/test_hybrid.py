"""The hybrid judge: rules first, a language model for the rest."""

from tests.support.llm_server import LlmServer
from tests.support.scoring.judges import ExactJudge
from tests.support.scoring.llm_cases import judge_at, judge_well, make_case
from wardboard.scoring.fhir_agentbench.judge import HybridJudge

SURE, UNSURE = make_case(1, agent_answer="[[1.5]]"), make_case(2, agent_answer="? It is 2.5 or so")


def test_the_llm_gets_only_what_the_rules_leave_undecided():
    with LlmServer(judge_well) as server:
        verdicts = HybridJudge(ExactJudge(), judge_at(server)).judge_all([SURE, UNSURE, SURE, UNSURE])
        assert len(server.requests) == 1
    assert [verdict.by for verdict in verdicts] == ["rules", "llm", "rules", "llm"]
    assert all(verdict.correct for verdict in verdicts)


def test_the_identity_names_the_model_the_prompt_and_the_rules():
    with LlmServer() as server:
        judge = HybridJudge(ExactJudge(), judge_at(server))
        assert (judge.mode, judge.identity) == ("hybrid", "hybrid o4-mini prompt 1 exact 1")
