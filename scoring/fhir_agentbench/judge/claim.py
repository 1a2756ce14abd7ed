"""What a board may say of its judge: how far the rules were found to agree with an LLM judge's verdicts."""

from collections.abc import Mapping
from typing import Any

from scoring.fhir_agentbench.judge.agreement import MEASURED, measured_agreement


def claim(judge: str) -> str:
    """Return a sentence on the judge of that identity; "" for one without rules, or with rules of another
    version than those that were measured, or where nothing was measured."""
    measured = measured_agreement() if MEASURED.exists() else {}
    if judge == _judge(measured, "decide_all"):
        found = measured["decide_all"]["judged"]
        accepted = found["false_accepts"] / found["pairs"]
        return (
            f"Agrees with an LLM judge on {_percent(found['accuracy'])} of the {found['pairs']:,} answers it "
            f"was written with, and accepts {_percent(accepted)} of them wrongly."
        )
    rules = _judge(measured, "undecided_allowed")
    if rules and judge.startswith("hybrid ") and judge.endswith(f" {rules}"):
        found = measured["undecided_allowed"]["judged"]
        return (
            f"The rules decide {_percent(found['share_decided'])} of the {found['pairs']:,} answers they "
            f"were written with, and agree with an LLM judge on {_percent(found['accuracy'])} of these; "
            "the LLM decides on the rest."
        )
    return ""


def _judge(measured: Mapping[str, Any], figures: str) -> str | None:
    return measured[figures]["judge"] if figures in measured else None


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
