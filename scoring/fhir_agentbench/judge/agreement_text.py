"""The sentence on a leaderboard about how well its judge agrees with an LLM judge."""

from collections.abc import Mapping
from typing import Any

from scoring.fhir_agentbench.judge.agreement import MEASURED, measured_agreement
from scoring.reading.messages import phrase


def agreement_sentence(judge: str) -> str:
    """Return the sentence about the judge with the identity `judge`.

    "" for a judge without rules, with rules of another version than measured, or without a measurement.
    """
    measured = measured_agreement() if MEASURED.exists() else {}
    if judge == _measured_identity(measured, "decide_all"):
        judged = measured["decide_all"]["judged"]
        accepted = judged["false_accepts"] / judged["pairs"]
        return phrase(
            "Agrees with an LLM judge on {accuracy} of the {pairs:,} answers it was written with, and "
            "accepts {accepted} of them wrongly.",
            accuracy=_percent(judged["accuracy"]),
            pairs=judged["pairs"],
            accepted=_percent(accepted),
        )
    rules = _measured_identity(measured, "undecided_allowed")
    if rules and judge.startswith("hybrid ") and judge.endswith(f" {rules}"):
        judged = measured["undecided_allowed"]["judged"]
        return phrase(
            "The rules decide {decided} of the {pairs:,} answers they were written with, and agree with an "
            "LLM judge on {accuracy} of these; the LLM decides on the rest.",
            decided=_percent(judged["share_decided"]),
            pairs=judged["pairs"],
            accuracy=_percent(judged["accuracy"]),
        )
    return ""


def _measured_identity(measured: Mapping[str, Any], figures: str) -> str | None:
    return measured[figures]["judge"] if figures in measured else None


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
