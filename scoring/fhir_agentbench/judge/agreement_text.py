"""What a board may say of its judge: how far the rules were found to agree with an LLM judge's verdicts."""

from collections.abc import Mapping
from typing import Any

from scoring.fhir_agentbench.judge.agreement import MEASURED, measured_agreement
from scoring.reading.messages import say


def claim(judge: str) -> str:
    """Return a sentence on the judge of that identity; "" for one without rules, or with rules of another
    version than those that were measured, or where nothing was measured."""
    measured = measured_agreement() if MEASURED.exists() else {}
    if judge == _judge(measured, "decide_all"):
        found = measured["decide_all"]["judged"]
        accepted = found["false_accepts"] / found["pairs"]
        return say(
            "Agrees with an LLM judge on {accuracy} of the {pairs:,} answers it was written with, and "
            "accepts {accepted} of them wrongly.",
            accuracy=_percent(found["accuracy"]),
            pairs=found["pairs"],
            accepted=_percent(accepted),
        )
    rules = _judge(measured, "undecided_allowed")
    if rules and judge.startswith("hybrid ") and judge.endswith(f" {rules}"):
        found = measured["undecided_allowed"]["judged"]
        return say(
            "The rules decide {decided} of the {pairs:,} answers they were written with, and agree with an "
            "LLM judge on {accuracy} of these; the LLM decides on the rest.",
            decided=_percent(found["share_decided"]),
            pairs=found["pairs"],
            accuracy=_percent(found["accuracy"]),
        )
    return ""


def _judge(measured: Mapping[str, Any], figures: str) -> str | None:
    return measured[figures]["judge"] if figures in measured else None


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
