"""Judges of free-text answers: rules, an LLM, both, or the official evaluator's LLM."""

from collections.abc import Mapping
from typing import Any

from wardboard.scoring.fhir_agentbench.judge.hybrid import HybridJudge
from wardboard.scoring.fhir_agentbench.judge.llm.judge import LlmJudge
from wardboard.scoring.fhir_agentbench.judge.llm.options import LlmOptions
from wardboard.scoring.fhir_agentbench.judge.memory_ledger import MemoryLedger
from wardboard.scoring.fhir_agentbench.judge.official.judge import OfficialJudge
from wardboard.scoring.fhir_agentbench.judge.rules.judge import RulesJudge
from wardboard.scoring.judging import Judge, Ledger

__all__ = [
    "HybridJudge",
    "LlmJudge",
    "LlmOptions",
    "MemoryLedger",
    "OfficialJudge",
    "RulesJudge",
    "make_judge",
]


def make_judge(mode: str, options: Mapping[str, Any], ledger: Ledger | None) -> Judge:
    """Return the judge of `mode`; options: of LlmOptions. Raises JudgeUnavailable, and ValueError."""
    if mode == "rules":
        return RulesJudge(is_last=True, keeper=ledger)
    if ledger is None:
        raise ValueError(f"a judge of the mode {mode} needs a ledger")
    match mode:
        case "llm":
            return LlmJudge(LlmOptions(**options), ledger=ledger)
        case "hybrid":
            return HybridJudge(RulesJudge(keeper=ledger), LlmJudge(LlmOptions(**options), ledger=ledger))
        case "official":
            return OfficialJudge(LlmOptions(**options), ledger=ledger)
    raise ValueError(f"there is no judge of the mode {mode}")
