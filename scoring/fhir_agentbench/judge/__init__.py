"""Judges of free-text answers: rules, an LLM, or rules first and the LLM for the rest."""

from scoring.fhir_agentbench.judge.hybrid import HybridJudge
from scoring.fhir_agentbench.judge.llm.judge import LlmJudge
from scoring.fhir_agentbench.judge.llm.options import LlmOptions
from scoring.fhir_agentbench.judge.memory_ledger import MemoryLedger
from scoring.fhir_agentbench.judge.rules import RulesJudge

__all__ = ["HybridJudge", "LlmJudge", "LlmOptions", "MemoryLedger", "RulesJudge"]
