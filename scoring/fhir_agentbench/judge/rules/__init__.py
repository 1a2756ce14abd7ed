"""The deterministic judge, which decides by rules."""

from wardboard.scoring.fhir_agentbench.judge.rules.judge import RulesJudge

__all__ = ["RulesJudge"]
