"""The deterministic judge."""

from scoring.fhir_agentbench.judge.rules.judge import RulesJudge

__all__ = ["RulesJudge"]
